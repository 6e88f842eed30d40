import { appendFile, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LogOptions } from '../types.js';
import { readContainerLog } from './read-log.js';

const at = (second: number): string => `2026-01-02T03:04:${String(second).padStart(2, '0')}.000000000Z`;
const record = (second: number, text: string, stream = 'stdout', tag = 'F'): string => `${at(second)} ${stream} ${tag} ${text}\n`;

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-log-'));
  path = join(folder, '0.log');
});
afterEach(() => rm(folder, { recursive: true }));

function reader(options: Partial<LogOptions> = {}, ended = AbortSignal.abort()): AsyncGenerator<Buffer> {
  return readContainerLog(path, { follow: false, timestamps: false, signal: new AbortController().signal, ...options }, ended);
}

async function read(options: Partial<LogOptions> = {}, ended?: AbortSignal): Promise<string> {
  let text = '';
  for await (const chunk of reader(options, ended)) text += chunk.toString();
  return text;
}

const THREE = record(1, 'one') + record(2, 'two', 'stderr') + record(3, 'three');

test('all, the tail, since, one stream, times, a limit', async () => {
  await writeFile(path, THREE);
  expect(await read()).toBe('one\ntwo\nthree\n');
  expect(await read({ tailLines: 2 })).toBe('two\nthree\n');
  expect(await read({ tailLines: 0 })).toBe('');
  expect(await read({ tailLines: 10 })).toBe('one\ntwo\nthree\n');
  expect(await read({ since: Date.parse(at(2)) })).toBe('two\nthree\n');
  expect(await read({ since: Date.parse(at(2)) + 1 })).toBe('three\n');
  expect(await read({ stream: 'stderr' })).toBe('two\n');
  expect(await read({ timestamps: true, tailLines: 1 })).toBe(`${at(3)} three\n`);
  expect(await read({ limitBytes: 6 })).toBe('one\ntw');
  expect(await read({ limitBytes: 35, timestamps: true })).toBe(`${at(1)} one\n2`.slice(0, 35));
  expect(await read({ stream: 'stdout', limitBytes: 5 })).toBe('one\nt');
});

test('partial lines are put together, and have one time', async () => {
  await writeFile(path, record(1, 'a', 'stdout', 'P') + record(2, 'b', 'stdout', 'P') + record(3, 'c') + record(4, 'end', 'stdout', 'P'));
  expect(await read()).toBe('abc\nend');
  expect(await read({ timestamps: true })).toBe(`${at(1)} abc\n${at(4)} end`);
});

test('damaged lines are left out; a last line that was cut is shown', async () => {
  await writeFile(path, `${record(1, 'one')}\0\0\0 rubbish\n\n${record(2, 'two')}${record(3, 'three').slice(0, -3)}`);
  expect(await read()).toBe('one\ntwo\nthr');
  expect(await read({ tailLines: 1 })).toBe('two\n');
});

test('a file that is missing is an error that names it', async () => {
  await expect(read()).rejects.toMatchObject({ code: 'KUBE_LOG', message: expect.stringContaining(`failed to open log file ${JSON.stringify(path)}`) as unknown });
});

test('long lines and many blocks', async () => {
  const long = 'x'.repeat(300_000);
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
  await writeFile(path, record(1, long) + lines.map((line) => record(2, line)).join(''));
  expect(await read()).toBe(`${long}\n${lines.join('\n')}\n`);
  expect(await read({ tailLines: 15_000 })).toBe(`${lines.slice(5000).join('\n')}\n`);
  expect(await read({ tailLines: 20_001, limitBytes: 10 })).toBe('xxxxxxxxxx');
});

test('the tail of a big file is found without reading the file', async () => {
  const file = await open(path, 'w');
  // A hole of 4 GiB, which nobody reads within this test.
  await file.write(THREE, 4 * 1024 ** 3);
  await file.close();
  expect(await read({ tailLines: 2 })).toBe('two\nthree\n');
});

test('following: what is appended comes, until the container has ended', async () => {
  await writeFile(path, THREE);
  const ended = new AbortController();
  const follow = reader({ follow: true, tailLines: 1 }, ended.signal);
  expect((await follow.next()).value!.toString()).toBe('three\n');
  const next = follow.next();
  await wait(20);
  await appendFile(path, record(4, 'four'));
  expect((await next).value!.toString()).toBe('four\n');
  await appendFile(path, record(5, 'five') + record(6, 'six').slice(0, -1));
  ended.abort();
  let rest = '';
  for await (const chunk of follow) rest += chunk.toString();
  expect(rest).toBe('five\nsix');
});

test('following waits for the rest of a line', async () => {
  await writeFile(path, record(1, 'one').slice(0, -2));
  const ended = new AbortController();
  const follow = reader({ follow: true }, ended.signal);
  const next = follow.next();
  await wait(20);
  await appendFile(path, 'e\n');
  expect((await next).value!.toString()).toBe('one\n');
  await follow.return(undefined);
});

test('following crosses rotations without a gap, also for a reader who is slow', async () => {
  await writeFile(path, record(1, 'first'));
  const ended = new AbortController();
  const follow = reader({ follow: true }, ended.signal);
  expect((await follow.next()).value!.toString()).toBe('first\n');
  // While the reader does nothing, the file is rotated three times and the oldest ones disappear.
  for (let turn = 0; turn < 3; turn++) {
    await appendFile(path, record(turn, `old ${turn}`));
    await rename(path, `${path}.${turn}`);
    await appendFile(`${path}.${turn}`, record(turn, `late ${turn}`));
    await writeFile(path, record(turn, `new ${turn}`));
    await wait(50);
    await rm(`${path}.${turn}`);
  }
  ended.abort();
  let text = '';
  for await (const chunk of follow) text += chunk.toString();
  expect(text).toBe('old 0\nlate 0\nnew 0\nold 1\nlate 1\nnew 1\nold 2\nlate 2\nnew 2\n');
});

test('following sees a log that was moved away and is begun anew later', async () => {
  await writeFile(path, record(1, 'one'));
  const ended = new AbortController();
  const follow = reader({ follow: true }, ended.signal);
  await follow.next();
  const next = follow.next();
  await rename(path, `${path}.moved`);
  await wait(30);
  await appendFile(`${path}.moved`, record(2, 'two'));
  // Writes to the moved file are told under its new name; they are seen with the next change.
  await writeFile(path, record(3, 'three'));
  expect((await next).value!.toString()).toBe('two\n');
  expect((await follow.next()).value!.toString()).toBe('three\n');
  await follow.return(undefined);
});

test('a reader who gives up is let go, with or without output, before or after the start', async () => {
  await writeFile(path, THREE);
  const abort = new AbortController();
  const running = new AbortController();
  const text = read({ follow: true, signal: abort.signal }, running.signal);
  await wait(20);
  abort.abort();
  expect(await text).toBe('one\ntwo\nthree\n');
  expect(await read({ follow: true, signal: abort.signal }, running.signal)).toBe('');
});
