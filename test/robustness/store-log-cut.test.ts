import { jest } from '@jest/globals';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { FakeClock } from '../../src/base/clock.js';
import { errorCode } from '../../src/base/errors.js';
import { SeededRandom } from '../../src/base/random.js';
import { LevelDbStore } from '../../src/storage/index.js';

jest.setTimeout(300_000);

let root: string;

beforeAll(async () => {
  // In memory where there is such a file system: this opens a database thousands of times, and each time it is synced.
  const memory = await stat('/dev/shm').then((found) => found.isDirectory(), () => false);
  root = await mkdtemp(join(memory ? '/dev/shm' : tmpdir(), 'kube-cut-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const open = (path: string): Promise<LevelDbStore> => LevelDbStore.open(path, { clock: new FakeClock() });
const put = (key: string, value: string) => ({ type: 'put' as const, key, value: Buffer.from(value) });

/** What a store holds, with revisions. */
async function content(store: LevelDbStore): Promise<string> {
  const { kvs, revision } = await store.range({ start: '', end: '~' });
  return JSON.stringify([revision, kvs.map(({ key, value, modRevision, createRevision }) => [key, value.toString(), createRevision, modRevision])]);
}

/** `damaged`, or what the store at this path holds. Any other failure is thrown. */
async function verdict(path: string): Promise<string> {
  let store: LevelDbStore;
  try {
    store = await open(path);
  } catch (error) {
    if (errorCode(error) === 'KUBE_STORE_DAMAGED') return 'damaged';
    throw error;
  }
  try {
    return await content(store);
  } finally {
    await store.close();
  }
}

async function copy(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to);
  await Promise.all((await readdir(from)).map((name) => copyFile(join(from, name), join(to, name))));
  await copyFile(`${from}.acknowledged`, `${to}.acknowledged`);
}

async function fileOf(path: string, pattern: RegExp): Promise<string> {
  const name = (await readdir(path)).find((file) => pattern.test(file));
  if (!name) throw new Error(`${path} has no file like ${pattern}`);
  return join(path, name);
}

/** Moves everything from the log into a table. */
async function compact(path: string): Promise<void> {
  // The types are those of all platforms.
  const level = new Level(path) as Level & { compactRange(start: string, end: string): Promise<void> };
  await level.compactRange('', '~');
  await level.close();
}

/** The files that hold the data of a database. */
async function data(path: string): Promise<string[]> {
  return (await readdir(path)).filter((name) => /\.(ldb|log)$|^MANIFEST/.test(name));
}

/** Some transactions as the server makes them; `steps[i]` is the length of the log once the i-th was acknowledged. */
async function written(path: string): Promise<{ steps: number[]; states: string[] }> {
  const store = await open(path);
  const steps: number[] = [];
  const states: string[] = [];
  const log = await fileOf(path, /\.log$/);
  const note = async (): Promise<void> => {
    steps.push((await readFile(log)).length);
    states.push(await content(store));
  };
  await note();
  for (let i = 0; i < 5; i++) {
    await store.transact([], [put(`key${i % 3}`, `value ${i}`), put(`other${i}`, 'x')]);
    await note();
  }
  await store.transact([], [{ type: 'delete', key: 'other0' }]);
  await note();
  await store.close();
  return { steps, states };
}

test('a log cut at every byte: what is behind the newest acknowledged write may go, nothing before it', async () => {
  const path = join(root, 'log');
  const { steps, states } = await written(path);
  const log = await readFile(await fileOf(path, /\.log$/));
  const name = (await fileOf(path, /\.log$/)).slice(path.length + 1);
  expect(log.length).toBe(steps.at(-1));
  const target = join(root, 'cut');
  let outcomes = 0;
  for (let acknowledged = 0; acknowledged < steps.length; acknowledged++) {
    // The process died while the writes after this one were on their way to the disk.
    const [from, to] = [acknowledged === steps.length - 1 ? 0 : steps[acknowledged]!, acknowledged === steps.length - 1 ? log.length : steps[acknowledged + 1]!];
    for (let length = from; length <= to; length++) {
      await copy(path, target);
      await truncate(join(target, name), length);
      await writeAcknowledged(target, acknowledged);
      const found = await verdict(target);
      if (length < steps[acknowledged]!) expect({ length, found }).toEqual({ length, found: 'damaged' });
      else expect({ length, found }).toEqual({ length, found: states[Math.max(...steps.flatMap((end, i) => (end <= length ? [i] : [])))] });
      outcomes++;
    }
  }
  process.stderr.write(`store-log-cut: ${outcomes} cuts of a log of ${log.length} bytes\n`);
});

/** The record of the newest acknowledged revision, as the store wrote it at that time. */
async function writeAcknowledged(path: string, revision: number): Promise<void> {
  const { crc32 } = await import('node:zlib');
  const digits = String(revision).padStart(16, '0');
  await writeFile(`${path}.acknowledged`, revision === 0 ? '' : `${digits} ${crc32(digits).toString(16).padStart(8, '0')}\n`);
}

/** Opens a copy with each byte of one file flipped in turn; all that may come of it is `damaged` or the right content. */
async function flipEverywhere(path: string, pattern: RegExp): Promise<{ damaged: number; harmless: number }> {
  const wanted = await (async () => {
    await copy(path, join(root, 'whole'));
    return verdict(join(root, 'whole'));
  })();
  expect(wanted).not.toBe('damaged');
  const target = join(root, 'flipped');
  const file = await fileOf(path, pattern);
  const name = file.slice(path.length + 1);
  const bytes = await readFile(file);
  const random = new SeededRandom(7);
  let [damaged, harmless] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    await copy(path, target);
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << Math.floor(random.float() * 8);
    await writeFile(join(target, name), flipped);
    const found = await verdict(target);
    if (found === 'damaged') damaged++;
    else if (found === wanted) harmless++;
    else throw new Error(`byte ${at} of ${name} flipped: the store opens with ${found} instead of ${wanted}`);
  }
  process.stderr.write(`store-log-cut: ${name}: ${damaged} of ${bytes.length} flipped bytes found, ${harmless} harmless\n`);
  return { damaged, harmless };
}

test('a flipped byte anywhere in the log is found or harmless', async () => {
  const path = join(root, 'flip-log');
  await written(path);
  const { damaged } = await flipEverywhere(path, /\.log$/);
  expect(damaged).toBeGreaterThan(100);
});

describe('a database with tables', () => {
  const path = (): string => join(root, 'tables');

  beforeAll(async () => {
    await written(path());
    await compact(path());
  });

  test.each([/\.ldb$/, /^MANIFEST-/, /^CURRENT$/, /\.log$/])('a flipped byte anywhere in %s is found or harmless', async (pattern) => {
    await flipEverywhere(path(), pattern);
  });

  test.each([/\.ldb$/, /^MANIFEST-/, /^CURRENT$/])('without %s the database is damaged, not empty', async (pattern) => {
    const target = join(root, 'lacking');
    await copy(path(), target);
    await rm(await fileOf(target, pattern));
    const left = await data(target);
    expect(await verdict(target)).toBe('damaged');
    expect(await data(target)).toEqual(expect.arrayContaining(left));
  });

  test('a flipped byte in the record of the newest acknowledged revision is found or harmless', async () => {
    const target = join(root, 'record');
    await copy(path(), target);
    const wanted = await verdict(target);
    const bytes = await readFile(`${path()}.acknowledged`);
    for (let at = 0; at < bytes.length; at++) {
      await copy(path(), target);
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      await writeFile(`${target}.acknowledged`, flipped);
      expect([wanted, 'damaged']).toContain(await verdict(target));
    }
  });
});

test('in tables with many blocks a flipped byte is found too, and whole ones are accepted', async () => {
  const path = join(root, 'many');
  const store = await open(path);
  const random = new SeededRandom(3);
  for (let i = 0; i < 40; i++) {
    await store.transact([], Array.from({ length: 25 }, (_, j) => put(`/registry/key-${i}-${j}`, `${random.bytes(100).toString('hex')}${'filler '.repeat(60)}`)));
  }
  await store.close();
  await compact(path);
  const wanted = await verdict(path);
  expect(wanted).not.toBe('damaged');
  const table = await fileOf(path, /\.ldb$/);
  const bytes = await readFile(table);
  expect(bytes.length).toBeGreaterThan(100_000);
  for (let i = 0; i < 300; i++) {
    const flipped = Buffer.from(bytes);
    const at = Math.floor(random.float() * bytes.length);
    flipped[at]! ^= 1 << Math.floor(random.float() * 8);
    await writeFile(table, flipped);
    expect({ at, found: await verdict(path) }).toEqual({ at, found: 'damaged' });
  }
  await writeFile(table, bytes);
  expect(await verdict(path)).toBe(wanted);
});
