import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { makeFoldersInside, openInside } from './safe-path.js';

let folder: string;
let volume: string;
let outside: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-safe-'));
  volume = join(folder, 'volume');
  outside = join(folder, 'outside');
  await mkdir(join(volume, 'a/b'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(volume, 'a/b/file'), 'inside');
  await writeFile(join(outside, 'file'), 'secret');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Identity of what was opened. */
async function opened(path: string): Promise<number> {
  const handle = await openInside(volume, path);
  try {
    return (await handle.stat()).ino;
  } finally {
    await handle.close();
  }
}

const succeeds = (work: Promise<unknown>): Promise<boolean> => work.then(() => true, () => false);

test('names files and folders of a volume, through links that stay inside', async () => {
  await symlink('b', join(volume, 'a/link'));
  expect(await opened('a/b/file')).toBe((await lstat(join(volume, 'a/b/file'))).ino);
  expect(await opened('a/link/file')).toBe((await lstat(join(volume, 'a/b/file'))).ino);
  expect(await opened('.')).toBe((await lstat(volume)).ino);
});

test('links that lead out are refused', async () => {
  await symlink(outside, join(volume, 'absolute'));
  await symlink('../outside', join(volume, 'relative'));
  await symlink('absolute', join(volume, 'twice'));
  for (const path of ['absolute', 'absolute/file', 'relative/file', 'twice/file']) await expect(opened(path)).rejects.toThrow('is outside of');
  for (const path of ['absolute/new', 'relative/new', 'twice/new/deep']) await expect(makeFoldersInside(volume, path, 0o755)).rejects.toThrow('is outside of');
  await symlink(join(outside, 'dangling'), join(volume, 'dangling'));
  await expect(makeFoldersInside(volume, 'dangling', 0o755)).rejects.toThrow();
  await expect(makeFoldersInside(volume, 'dangling/x', 0o755)).rejects.toThrow();
  expect(await readdir(outside)).toEqual(['file']);
});

test('makes missing folders with the mode that was asked for, whatever the umask', async () => {
  await chmod(join(volume, 'a'), 0o711);
  await makeFoldersInside(volume, 'a/new/deep', 0o2777);
  expect((await lstat(join(volume, 'a/new'))).mode & 0o7777).toBe(0o2777);
  expect((await lstat(join(volume, 'a/new/deep'))).mode & 0o7777).toBe(0o2777);
  expect((await lstat(join(volume, 'a'))).mode & 0o7777).toBe(0o711);
});

test('somebody who swaps folders for links all the time never gets anything from outside', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('a', 'a/b'), fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }), async (victim, pauses) => {
      await rm(volume, { recursive: true, force: true });
      await mkdir(join(volume, 'a/b'), { recursive: true });
      await writeFile(join(volume, 'a/b/file'), 'inside');
      const allowed = new Set([(await lstat(join(volume, 'a/b/file'))).ino]);
      let done = false;
      const swapper = (async () => {
        for (let turn = 0; !done; turn++) {
          await rename(join(volume, victim), join(volume, 'aside'));
          // A folder may be made in its place meanwhile, and others in it while it is removed.
          const linked = await succeeds(symlink(outside, join(volume, victim)));
          for (let pause = 0; pause < pauses[turn % pauses.length]!; pause++) await new Promise((resolve) => setImmediate(resolve));
          if (linked) await unlink(join(volume, victim));
          while (!(await succeeds(rename(join(volume, 'aside'), join(volume, victim))))) await succeeds(rm(join(volume, victim), { recursive: true, force: true }));
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      for (let attempt = 0; attempt < 30; attempt++) {
        const inode = await opened('a/b/file').catch(() => undefined);
        if (inode !== undefined) expect(allowed).toContain(inode);
        await makeFoldersInside(volume, `a/b/made-${attempt}/x`, 0o755).catch(() => undefined);
      }
      done = true;
      await swapper;
      expect(await readdir(outside)).toEqual(['file']);
      expect(await readFile(join(outside, 'file'), 'utf8')).toBe('secret');
    }),
    { numRuns: 6 },
  );
}, 30_000);
