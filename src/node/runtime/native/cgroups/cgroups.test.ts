import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { openCgroups } from './cgroups.js';
import { cgroupLimits, cpuShares, cpuWeight, kernelPageSize } from './resources.js';

let root: string;
const killed: number[] = [];
beforeEach(async () => {
  root = await mkdtemp('/tmp/cgroups-');
  killed.length = 0;
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A recorded group with the control files that the kernel would have made. */
async function group(path: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(`${root}${path}`, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(`${root}${path}/${name}`, content);
}
const read = (path: string): Promise<string> => readFile(`${root}${path}`, 'utf8');

describe('what requests and limits are', () => {
  test.each([
    [undefined, { cpuShares: 2 }],
    [{ requests: { cpu: '250m' } }, { cpuShares: 256 }],
    [{ limits: { cpu: '2' } }, { cpuShares: 2048, cpuQuota: 200_000, cpuPeriod: 100_000 }],
    [{ requests: { cpu: '0' }, limits: { cpu: '5m' } }, { cpuShares: 2, cpuQuota: 1000, cpuPeriod: 100_000 }],
    [{ requests: { cpu: '1000' } }, { cpuShares: 262_144 }],
    [{ limits: { memory: '64Mi' } }, { cpuShares: 2, memory: 67_108_864 }],
  ])('%j', (resources, expected) => {
    expect(cgroupLimits(resources)).toEqual(expected);
  });

  test('every size of huge pages has a limit', () => {
    expect(cgroupLimits({ limits: { 'hugepages-2Mi': '4Mi' } }, ['2MB', '1GB']).hugepages).toEqual([{ size: '2MB', bytes: 4_194_304 }, { size: '1GB', bytes: 0 }]);
    expect([kernelPageSize(2 ** 21), kernelPageSize(2 ** 30), kernelPageSize(65_536)]).toEqual(['2MB', '1GB', '64KB']);
  });

  test('weights of version 2', () => {
    expect([0, 2, 1024, 262_144].map(cpuWeight)).toEqual([1, 1, 100, 10_000]);
    expect([cpuShares(0), cpuShares(1), cpuShares(1000)]).toEqual([2, 2, 1024]);
  });
});

describe('version 2, recorded', () => {
  beforeEach(async () => {
    await group('', { 'cgroup.controllers': 'cpuset cpu io memory pids\n', 'cgroup.subtree_control': 'memory\n' });
    await group('/kube', { 'cgroup.controllers': 'cpu memory\n', 'cgroup.subtree_control': '' });
    await group('/kube/pod', { 'cpu.weight': '', 'cpu.max': '', 'memory.max': '', 'pids.max': '', 'memory.swap.max': 'max', 'memory.events': 'oom 1\noom_kill 0\n', 'cgroup.procs': '7\n', 'cgroup.kill': '' });
  });

  test('limits, in its own units; controllers are handed on', async () => {
    const cgroups = await openCgroups(root, (pid) => killed.push(pid));
    expect(cgroups.version).toBe(2);
    await cgroups.create('/kube/pod', { cpuShares: 1024, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 1000, pids: -1, swap: 0 });
    expect(await Promise.all(['cpu.weight', 'cpu.max', 'memory.max', 'pids.max', 'memory.swap.max'].map((name) => read(`/kube/pod/${name}`)))).toEqual(['100', '50000 100000', '1000', 'max', '0ax']);
    // The kernel takes each word by itself; a plain file keeps the longest.
    expect(await read('/cgroup.subtree_control')).toMatch(/^\+pids/);
    expect(await read('/kube/cgroup.subtree_control')).toMatch(/^\+memory/);
    expect(cgroups.entrances('/kube/pod')).toEqual([`${root}/kube/pod/cgroup.procs`]);
  });

  test('one write kills all', async () => {
    const cgroups = await openCgroups(root, (pid) => killed.push(pid));
    await cgroups.kill('/kube/pod');
    expect([await read('/kube/pod/cgroup.kill'), killed]).toEqual(['1', []]);
    await rm(`${root}/kube/pod/cgroup.kill`);
    await cgroups.kill('/kube/pod');
    expect(killed).toEqual([7]);
  });

  test('memory that ran out', async () => {
    const cgroups = await openCgroups(root, () => undefined);
    expect(await cgroups.ranOutOfMemory('/kube/pod')).toBe(false);
    await group('/kube/pod', { 'memory.events': 'oom 1\noom_kill 2\n' });
    expect(await cgroups.ranOutOfMemory('/kube/pod')).toBe(true);
    expect(await cgroups.ranOutOfMemory('/none')).toBe(false);
  });
});

describe('version 1, recorded', () => {
  test('each controller has its hierarchy; those that are missing are left alone; groups go from all', async () => {
    for (const name of ['cpu', 'memory', 'freezer', 'systemd', 'blkio']) await mkdir(`${root}/${name}`);
    await group('/cpu/kube', { 'cpu.shares': '', 'cpu.cfs_quota_us': '', 'cpu.cfs_period_us': '' });
    await group('/memory/kube', { 'memory.limit_in_bytes': '' });
    const cgroups = await openCgroups(root, (pid) => killed.push(pid));
    expect(cgroups.version).toBe(1);
    await cgroups.create('/kube', { cpuShares: 512, cpuQuota: 1000, cpuPeriod: 100_000, memory: 77, pids: 5 });
    expect([await read('/cpu/kube/cpu.shares'), await read('/cpu/kube/cpu.cfs_quota_us'), await read('/memory/kube/memory.limit_in_bytes')]).toEqual(['512', '1000', '77']);
    expect(cgroups.entrances('/kube')).toEqual([`${root}/memory/kube/cgroup.procs`, `${root}/systemd/kube/cgroup.procs`]);
    await group('/freezer/kube', { 'freezer.state': 'FROZEN\n', 'cgroup.procs': '8\n' });
    await group('/freezer/kube/below', { 'cgroup.procs': '9\n' });
    await cgroups.kill('/kube');
    expect(killed.sort()).toEqual([8, 9]);
    expect(await read('/freezer/kube/freezer.state')).toMatch(/^THAWED/);
    await mkdir(`${root}/blkio/gone/below`, { recursive: true });
    expect(await cgroups.children('/gone')).toEqual(['/gone/below']);
    await cgroups.remove('/gone');
    await cgroups.remove('/gone');
    expect(await readdir(`${root}/blkio`)).toEqual([]);
  });
});
