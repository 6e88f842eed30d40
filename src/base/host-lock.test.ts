import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from './clock.js';
import { withHostLock } from './host-lock.js';
import { SystemRandom } from './random.js';

const TOOLS = { clock: new SystemClock(), random: new SystemRandom() };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('one at a time, also when all of them find the lock of a process that is gone', async () => {
  const file = join(folder, 'lock');
  let inside = 0;
  let most = 0;
  for (let round = 0; round < 5; round++) {
    await writeFile(file, JSON.stringify({ pid: 4_194_304, startTicks: '1' }));
    await Promise.all(Array.from({ length: 8 }, () => withHostLock(file, TOOLS, async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    })));
  }
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});
