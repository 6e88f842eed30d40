import { appendFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FakeClock } from '../../../base/clock.js';
import { silentLogger } from '../../../base/log.js';
import { createLogRotator, type LogRotator } from './rotator.js';
import { readContainerLog } from './read-log.js';

let folder: string;
let path: string;
let clock: FakeClock;
let reopened: string[];
let failing: boolean;
let running: boolean;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-rotate-'));
  path = join(folder, '0.log');
  clock = new FakeClock();
  reopened = [];
  failing = false;
  running = true;
});
afterEach(() => rm(folder, { recursive: true }));

function rotator(more: { readonly maxFiles?: number } = {}): LogRotator {
  return createLogRotator({
    clock, log: silentLogger, maxSizeBytes: 1000, ...more,
    running: () => (running ? [{ containerId: 'c', path }] : []),
    reopen: async (id) => {
      if (failing) throw new Error('monitor is gone');
      reopened.push(id);
      await writeFile(path, '');
    },
  });
}

const files = async (): Promise<string[]> => (await readdir(folder)).sort();

test('a big log moves away and is begun anew; the fifth file is the last', async () => {
  const logs = rotator();
  await writeFile(path, 'x'.repeat(999));
  await logs.rotateAll();
  expect(await files()).toEqual(['0.log']);
  for (let turn = 0; turn < 7; turn++) {
    await writeFile(path, `${turn}`.repeat(1000));
    await logs.rotateAll();
    await clock.advance(1000);
  }
  const names = await files();
  expect(names).toEqual(['0.log', '0.log.20260101-000003.gz', '0.log.20260101-000004.gz', '0.log.20260101-000005.gz', '0.log.20260101-000006']);
  expect(await readFile(join(folder, names[4]!), 'utf8')).toBe('6'.repeat(1000));
  expect(gunzipSync(await readFile(join(folder, names[1]!))).toString()).toBe('3'.repeat(1000));
  expect(reopened).toHaveLength(7);
});

test('two files are the fewest', async () => {
  const logs = rotator({ maxFiles: 2 });
  for (let turn = 0; turn < 3; turn++) {
    await writeFile(path, `${turn}`.repeat(1000));
    await logs.rotateAll();
  }
  expect(await files()).toEqual(['0.log', '0.log.20260101-000002']);
  expect(() => rotator({ maxFiles: 1 })).toThrow(/at least 2/);
});

test('two rotations within a second keep their order', async () => {
  const logs = rotator();
  for (let turn = 0; turn < 3; turn++) {
    await writeFile(path, `${turn}`.repeat(1000));
    await logs.rotateAll();
  }
  expect(await files()).toEqual(['0.log', '0.log.20260101-000000.gz', '0.log.20260101-000001.gz', '0.log.20260101-000002']);
});

test('what an interrupted rotation left is tidied up', async () => {
  await writeFile(path, 'x'.repeat(1000));
  await writeFile(`${path}.20250101-000000`, 'half');
  await writeFile(`${path}.20250101-000000.gz`, 'whole');
  await writeFile(`${path}.20250102-000000.tmp`, 'torn');
  await rotator().rotateAll();
  expect(await files()).toEqual(['0.log', '0.log.20250101-000000.gz', '0.log.20260101-000000']);
  // Moved, but not begun anew: as after a kill between the two.
  await rename(path, `${path}.20260101-000001`);
  await rotator().rotateAll();
  expect(await files()).toContain('0.log');
});

test('when the monitor does not begin a new file the old one comes back', async () => {
  failing = true;
  await writeFile(path, 'x'.repeat(1000));
  await rotator().rotateAll();
  expect(await files()).toEqual(['0.log']);
});

test('it looks every ten seconds while it runs, at running containers only', async () => {
  const logs = rotator();
  await logs.start(new AbortController().signal);
  await writeFile(path, 'x'.repeat(1000));
  await clock.advance(9_999);
  expect(reopened).toEqual([]);
  await clock.advance(1);
  await logs.rotateAll();
  expect(reopened).toEqual(['c']);
  running = false;
  await writeFile(path, 'x'.repeat(1000));
  await logs.rotateAll();
  expect(reopened).toEqual(['c']);
  await logs.stop(0);
  expect(clock.pending).toBe(0);
});

test('a reader who follows sees everything across rotations', async () => {
  await writeFile(path, '');
  const ended = new AbortController();
  const seen = (async () => {
    let text = '';
    for await (const chunk of readContainerLog(path, { follow: true, timestamps: false, signal: new AbortController().signal }, ended.signal)) text += chunk.toString();
    return text;
  })();
  const logs = rotator();
  const expected: string[] = [];
  for (let turn = 0; turn < 200; turn++) {
    await appendFile(path, `2026-01-02T03:04:05Z stdout F line ${turn}\n`);
    expected.push(`line ${turn}\n`);
    if (turn % 7 === 0) await logs.rotateAll();
  }
  expect(reopened.length).toBeGreaterThan(3);
  ended.abort();
  expect(await seen).toBe(expected.join(''));
});
