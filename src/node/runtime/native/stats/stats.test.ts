import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FakeClock } from '../../../../base/clock.js';
import type { CommandResult, Commands } from '../../../../base/process/commands.js';
import { directCommands } from '../../../../base/process/direct.js';
import { openCounters } from './cgroup-counters.js';
import { CpuUsage, readContainerStats, type StatsTools } from './container-stats.js';
import { FolderSizes } from './folder-sizes.js';
import { readFileSystemStats, readNodeStats } from './node-stats.js';

let folder: string;
let clock: FakeClock;
const commands = directCommands();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-stats-'));
  clock = new FakeClock();
});
afterEach(() => rm(folder, { recursive: true }));

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

const V1 = {
  'cpuacct/kube/c/cpuacct.usage': '5000000000\n', 'memory/kube/c/memory.usage_in_bytes': '1000000\n', 'pids/kube/c/pids.current': '3\n',
  'memory/kube/c/memory.stat': 'cache 5\nrss 1\ninactive_file 7\ntotal_rss 400000\ntotal_pgfault 12\ntotal_pgmajfault 2\ntotal_inactive_file 300000\n',
};
const V2 = {
  'cgroup.controllers': 'cpu memory pids\n', 'kube/c/cpu.stat': 'usage_usec 5000000\nuser_usec 1\n', 'kube/c/memory.current': '1000000\n', 'kube/c/pids.current': '3\n',
  'kube/c/memory.stat': 'anon 400000\nfile 5\ninactive_file 300000\npgfault 12\npgmajfault 2\n',
};
const COUNTERS = { cpuNanoseconds: 5_000_000_000, usageBytes: 1_000_000, workingSetBytes: 700_000, rssBytes: 400_000, pageFaults: 12, majorPageFaults: 2, processes: 3 };

test.each([['1', V1], ['2', V2]])('counters of control groups version %s', async (_version, files) => {
  await put(files);
  const counters = await openCounters(folder);
  expect(await counters.read('/kube/c')).toEqual(COUNTERS);
  expect(await counters.read('/kube/gone')).toBeUndefined();
});

test('inactive pages beyond the use count as no working set', async () => {
  await put({ ...V2, 'kube/c/memory.current': '10\n' });
  expect(await (await openCounters(folder)).read('/kube/c')).toMatchObject({ workingSetBytes: 0 });
});

test('cpu use is what was used between two looks at least a second apart', async () => {
  const cpu = new CpuUsage(clock);
  expect(cpu.millicores('a', 1e9)).toBe(0);
  await clock.advance(500);
  expect(cpu.millicores('a', 1.1e9)).toBe(0);
  await clock.advance(9_500);
  expect(cpu.millicores('a', 6e9)).toBe(500);
  await clock.advance(100);
  // Too soon for a new span: since the look before the last.
  expect(cpu.millicores('a', 6.1e9)).toBe(505);
  expect(cpu.millicores('b', 0)).toBe(0);
  await clock.advance(1_900);
  expect(cpu.millicores('a', 10e9)).toBe(2000);
  // The counter began anew; a look that is too long ago.
  expect(cpu.millicores('a', 5)).toBe(0);
  await clock.advance(200_000);
  expect(cpu.millicores('a', 5e9)).toBe(0);
  cpu.retain(new Set());
  await clock.advance(5_000);
  expect(cpu.millicores('a', 6e9)).toBe(0);
});

test('stats of a container, sizes once they are counted', async () => {
  await put({ ...V1, 'upper/file': 'x'.repeat(100_000), 'logs/0.log': 'y'.repeat(5000) });
  const sizes = new FolderSizes(commands, clock);
  const tools: StatsTools = { clock, counters: await openCounters(folder), cpu: new CpuUsage(clock), sizes };
  const container = { containerId: 'id', name: 'app', cgroup: '/kube/c', writableFolder: join(folder, 'upper'), logFolder: join(folder, 'logs') };
  const first = await readContainerStats(tools, container);
  expect(first).toEqual({
    containerId: 'id', name: 'app', at: clock.now(), cpuNanoseconds: 5e9, cpuMillicores: 0, memoryWorkingSetBytes: 700_000, processes: 3, memory: { usageBytes: 1_000_000, rssBytes: 400_000, pageFaults: 12, majorPageFaults: 2 },
  });
  await sizes.measure(container.logFolder);
  await clock.advance(10_000);
  await put({ 'cpuacct/kube/c/cpuacct.usage': '7500000000' });
  const second = await readContainerStats(tools, container);
  expect(second).toMatchObject({ cpuMillicores: 250 });
  expect(second!.rootfsUsedBytes).toBeGreaterThanOrEqual(100_000);
  expect(second!.logsUsedBytes).toBeGreaterThanOrEqual(5000);
  expect(second!.logsUsedBytes).toBeLessThan(50_000);
  expect(await readContainerStats(tools, { ...container, cgroup: '/gone' })).toBeUndefined();
});

test('folders are counted one at a time, at most once a minute, also when many ask', async () => {
  let active = 0;
  const counted: string[] = [];
  const slow: Commands = {
    run: async (_program, args): Promise<CommandResult> => {
      expect(++active).toBe(1);
      counted.push(args.at(-1)!);
      await new Promise((resolve) => setTimeout(resolve, 5));
      active--;
      return { code: 0, stdout: Buffer.from('4096\t/x\n2\t/x\n'), stderr: Buffer.alloc(0), timedOut: false };
    },
    start: () => Promise.reject(new Error('not used')),
    close: () => Promise.resolve(),
  };
  const sizes = new FolderSizes(slow, clock);
  expect(sizes.latest('/a')).toBeUndefined();
  const all = await Promise.all([sizes.measure('/a'), sizes.measure('/b'), sizes.measure('/a'), sizes.measure('/c')]);
  expect(all).toEqual(Array.from({ length: 4 }, () => ({ bytes: 4096, inodes: 2 })));
  expect(counted).toEqual(['/a', '/b', '/c']);
  await clock.advance(59_999);
  await sizes.measure('/a');
  expect(counted).toHaveLength(3);
  await clock.advance(1);
  expect(sizes.latest('/a')).toEqual({ bytes: 4096, inodes: 2 });
  await sizes.measure('/a');
  expect(counted).toEqual(['/a', '/b', '/c', '/a']);
  sizes.close();
  await clock.advance(60_000);
  expect(await sizes.measure('/b')).toBeUndefined();
});

test('a folder that is not there has no size', async () => {
  expect(await new FolderSizes(commands, clock).measure(join(folder, 'missing'))).toBeUndefined();
});

test('a machine, recorded', async () => {
  await put({
    'proc/stat': 'cpu  100 20 30 5000 7 1 2 3 50 0\ncpu0 1 1 1 1\n', 'proc/vmstat': 'nr_x 1\npgfault 77\npgmajfault 5\n', 'proc/loadavg': '0.1 0.2 0.3 4/567 999\n', 'proc/sys/kernel/pid_max': '32768\n',
    'proc/meminfo': 'MemTotal:       1000 kB\nMemFree:         300 kB\nInactive(file):   100 kB\nAnonPages:  50 kB\n',
    'cgroup/cgroup.controllers': 'cpu\n', 'cgroup/cpu.stat': 'usage_usec 1\n', 'cgroup/memory.stat': 'anon 1\n',
  });
  const stats = await readNodeStats({ clock, cpu: new CpuUsage(clock), counters: await openCounters(join(folder, 'cgroup')), procFolder: join(folder, 'proc') });
  expect(stats).toMatchObject({
    cpuNanoseconds: 156e7, processes: { current: 567, max: 32768 },
    memory: { capacityBytes: 1_024_000, usageBytes: 716_800, workingSetBytes: 614_400, availableBytes: 409_600, rssBytes: 51_200, pageFaults: 77, majorPageFaults: 5 },
  });
});

test('this machine', async () => {
  const stats = await readNodeStats({ clock, cpu: new CpuUsage(clock), counters: await openCounters('/sys/fs/cgroup') });
  expect(stats.cpuNanoseconds).toBeGreaterThan(1e9);
  expect(stats.memory.workingSetBytes).toBeGreaterThan(1e7);
  expect(stats.memory.availableBytes).toBeLessThan(stats.memory.capacityBytes);
  expect(stats.processes.current).toBeGreaterThan(1);
  const disk = await readFileSystemStats(folder);
  expect(disk.usedBytes).toBeGreaterThan(0);
  expect(disk.availableBytes).toBeLessThan(disk.capacityBytes);
  expect(disk.inodesUsed).toBeLessThanOrEqual(disk.inodes);
});
