import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from './clock.js';
import { removeDeadFiles, withHostLock } from './host-lock.js';
import { SystemRandom } from './random.js';

const tools = { clock: new SystemClock(), random: new SystemRandom() };
/** Beyond the kernel's largest process number. */
const NOBODY = 2 ** 22 + 1;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-lock-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('one works at a time, and nothing stays', async () => {
  let inside = 0;
  await Promise.all(Array.from({ length: 5 }, () => withHostLock(join(folder, 'lock'), tools, async () => {
    expect(++inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    inside--;
  })));
  expect(await readdir(folder)).toEqual([]);
});

test('what dead processes left is removed, and nothing else', async () => {
  await writeFile(join(folder, `lock.${NOBODY}-abc.tmp`), '');
  await writeFile(join(folder, `other.json.${NOBODY}.tmp`), '');
  await writeFile(join(folder, 'other.json.lock'), JSON.stringify({ pid: NOBODY }));
  await writeFile(join(folder, `other.json.${process.pid}.tmp`), '');
  await writeFile(join(folder, 'other.json'), '');
  await withHostLock(join(folder, 'lock'), tools, async () => {
    await removeDeadFiles(folder);
    expect((await readdir(folder)).filter((name) => !name.startsWith('lock')).sort()).toEqual(['other.json', `other.json.${process.pid}.tmp`]);
    expect((await readdir(folder)).filter((name) => name.startsWith('lock'))).toHaveLength(2);
  });
});
