import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../../base/clock.js';
import type { Commands } from '../../../base/process/commands.js';
import { directCommands } from '../../../base/process/direct.js';
import { DiskUsage } from './disk-usage.js';

test('measures folders with one program, and not again for ten seconds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kube-usage-'));
  try {
    const direct = directCommands();
    let runs = 0;
    const commands: Commands = { run: (...args) => (runs++, direct.run(...args)), start: (...args) => direct.start(...args), close: () => direct.close() };
    const clock = new FakeClock();
    const usage = new DiskUsage(commands, clock);
    const folders = new Map(['one', 'two with\nline'].map((name) => [name, join(folder, name)]));
    for (const path of folders.values()) await mkdir(path);
    await writeFile(join(folder, 'one/file'), Buffer.alloc(100_000));
    const first = await usage.measure('uid', folders);
    expect(first.get('one')! - first.get('two with\nline')!).toBeGreaterThanOrEqual(100_000);
    await writeFile(join(folder, 'one/more'), Buffer.alloc(100_000));
    expect(await usage.measure('uid', folders)).toEqual(first);
    expect(runs).toBe(1);
    await clock.advance(10_000);
    expect((await usage.measure('uid', folders)).get('one')).toBeGreaterThanOrEqual(first.get('one')! + 100_000);
    usage.forget('uid');
    await usage.measure('uid', folders);
    expect(runs).toBe(3);
    expect(await usage.measure('other', new Map())).toEqual(new Map());
    expect(runs).toBe(3);
  } finally {
    await rm(folder, { recursive: true });
  }
});
