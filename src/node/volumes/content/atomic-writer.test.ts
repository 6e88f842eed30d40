import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { versionName, writePayload, type FileProjection } from './atomic-writer.js';

let folder: string;
let count = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-writer-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const version = (): string => versionName(Date.UTC(2026, 0, 2, 3, 4, 5), String(++count));
const files = (content: Readonly<Record<string, string>>, mode = 0o644): Map<string, FileProjection> => new Map(Object.entries(content).map(([path, text]) => [path, { data: Buffer.from(text), mode }]));
const write = (content: Readonly<Record<string, string>>, mode?: number): Promise<boolean> => writePayload(folder, files(content, mode), { version });
const visible = async (): Promise<string[]> => (await readdir(folder)).filter((name) => !name.startsWith('..')).sort();
const versions = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.startsWith('..2'));

test('files stand behind ..data, and users see links', async () => {
  expect(await write({ a: '1', 'sub/b': '2' }, 0o400)).toBe(true);
  expect(await visible()).toEqual(['a', 'sub']);
  expect(await readlink(join(folder, 'a'))).toBe('..data/a');
  expect(await readlink(join(folder, 'sub'))).toBe('..data/sub');
  expect(await readlink(join(folder, '..data'))).toMatch(/^\.\.2026_01_02_03_04_05\.\d+$/);
  expect(await readFile(join(folder, 'sub/b'), 'utf8')).toBe('2');
  expect((await lstat(join(folder, '..data/a'))).mode & 0o7777).toBe(0o400);
  expect((await lstat(join(folder, await readlink(join(folder, '..data'))))).mode & 0o7777).toBe(0o755);
});

test('the same payload again changes nothing; a removed key disappears; one version stays', async () => {
  await write({ a: '1', b: '2' });
  const before = await readlink(join(folder, '..data'));
  expect(await write({ b: '2', a: '1' })).toBe(false);
  expect(await readlink(join(folder, '..data'))).toBe(before);
  expect(await write({ b: '3' })).toBe(true);
  expect(await visible()).toEqual(['b']);
  expect(await versions()).toHaveLength(1);
  expect(await write({})).toBe(true);
  expect(await visible()).toEqual([]);
});

test('what a crash left behind is put right', async () => {
  await write({ a: '1', b: '2' });
  // In the middle of an update: a version that nobody names, the new link not renamed yet, a user's link missing, an old one still there.
  await mkdir(join(folder, '..2025_01_01_00_00_00.old'));
  await symlink('..2025_01_01_00_00_00.old', join(folder, '..data_tmp'));
  await rm(join(folder, 'a'));
  await symlink('..data/gone', join(folder, 'gone'));
  expect(await write({ a: '1', b: '2' })).toBe(false);
  expect(await visible()).toEqual(['a', 'b']);
  await write({ a: '2', b: '2' });
  expect(await versions()).toHaveLength(1);
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('2');
  expect(await readdir(folder)).not.toContain('..data_tmp');
});

test('folders for nested mounts stay', async () => {
  await mkdir(join(folder, 'nested'));
  await write({ a: '1' });
  await write({ b: '1' });
  expect(await visible()).toEqual(['b', 'nested']);
});

test.each([
  ['', 'invalid path: must not be empty: ""'], ['/etc/passwd', 'invalid path: must be relative path: /etc/passwd'], ['a/../../b', 'invalid path: must not contain \'..\': a/../../b'],
  ['..data', 'invalid path: must not start with \'..\': ..data'], ['./..data', 'invalid path: must not start with \'..\': ./..data'], [`a/${'x'.repeat(256)}`, 'invalid path: filenames must be less than or equal to 255 characters'],
  ['.', 'invalid path: must not be empty: "."'],
])('the path %j is refused, and nothing is written', async (path, message) => {
  await expect(write({ ok: '1', [path]: '2' })).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual([]);
});

test('a file where another path needs a folder fails and leaves the old payload', async () => {
  await write({ a: '1' });
  await expect(write({ a: '2', 'a/b': '3' })).rejects.toThrow();
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('1');
  expect(await versions()).toHaveLength(1);
});

test('after any sequence of payloads the folder shows the last, and readers of ..data never see a mixture', async () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd/e', 'd/f', 'g/h/i');
  const payloads = fc.array(fc.uniqueArray(key, { minLength: 1 }), { minLength: 2, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(payloads, async (sequence) => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      let done = false;
      const reader = (async () => {
        let seen = 0;
        while (!done) {
          // All files of a version say which one they belong to.
          const name = await readlink(join(folder, '..data')).catch(() => undefined);
          const found = name === undefined ? [] : await readdir(join(folder, name), { recursive: true, withFileTypes: true }).catch(() => []);
          const texts = await Promise.all(found.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.path, entry.name), 'utf8').catch(() => undefined)));
          expect(new Set(texts.filter((text) => text !== undefined)).size).toBeLessThanOrEqual(1);
          seen++;
          await new Promise((resolve) => setImmediate(resolve));
        }
        return seen;
      })();
      for (const [index, keys] of sequence.entries()) await write(Object.fromEntries(keys.map((path) => [path, String(index)])));
      done = true;
      expect(await reader).toBeGreaterThan(0);
      const last = sequence.at(-1)!;
      expect(await visible()).toEqual([...new Set(last.map((path) => path.split('/')[0]!))].sort());
      for (const path of last) expect(await readFile(join(folder, path), 'utf8')).toBe(String(sequence.length - 1));
      expect(await versions()).toHaveLength(1);
    }),
    { numRuns: 8 },
  );
}, 30_000);
