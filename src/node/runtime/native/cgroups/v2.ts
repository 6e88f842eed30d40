import { mkdir, readFile, readdir } from 'node:fs/promises';
import type { Cgroups } from './cgroups.js';
import { cpuWeight, type CgroupLimits } from './resources.js';
import { countsOutOfMemory, groupProcesses, removeGroup, writeControl } from './tree.js';

/** Controllers that are handed on to the groups below. */
const DELEGATED = ['cpuset', 'cpu', 'io', 'memory', 'hugetlb', 'pids'];

/** The unified hierarchy. */
export class CgroupsV2 implements Cgroups {
  readonly version = 2;

  constructor(
    private readonly root: string,
    private readonly killProcess: (pid: number) => void,
  ) {}

  folder(_controller: string, path: string): string {
    return `${this.root}${path}`;
  }

  async create(path: string, limits: CgroupLimits): Promise<void> {
    let folder = this.root;
    for (const name of path.split('/').filter((part) => part !== '')) {
      await this.delegate(folder);
      folder = `${folder}/${name}`;
      await mkdir(folder, { recursive: true });
    }
    await this.set(path, limits);
  }

  async set(path: string, limits: CgroupLimits): Promise<void> {
    const write = (file: string, value: string): Promise<boolean> => writeControl(`${this.root}${path}/${file}`, value);
    const limit = (value: number): string => (value < 0 ? 'max' : String(value));
    if (limits.cpuShares !== undefined) await write('cpu.weight', String(cpuWeight(limits.cpuShares)));
    if (limits.cpuQuota !== undefined) await write('cpu.max', `${limit(limits.cpuQuota)} ${limits.cpuPeriod ?? 100_000}`);
    if (limits.memory !== undefined) await write('memory.max', limit(limits.memory));
    if (limits.swap !== undefined) await write('memory.swap.max', limit(limits.swap));
    if (limits.pids !== undefined) await write('pids.max', limit(limits.pids));
    for (const { size, bytes } of limits.hugepages ?? []) await write(`hugetlb.${size}.max`, String(bytes));
  }

  entrances(path: string): readonly string[] {
    return [`${this.root}${path}/cgroup.procs`];
  }

  processes(path: string): Promise<readonly number[]> {
    return groupProcesses(`${this.root}${path}`);
  }

  async kill(path: string): Promise<void> {
    if (await writeControl(`${this.root}${path}/cgroup.kill`, '1')) return;
    // Kernels before 5.14: freeze, so that nothing forks away, then kill one by one.
    const freeze = `${this.root}${path}/cgroup.freeze`;
    await writeControl(freeze, '1');
    for (const pid of await groupProcesses(`${this.root}${path}`)) this.killProcess(pid);
    await writeControl(freeze, '0');
  }

  ranOutOfMemory(path: string): Promise<boolean> {
    return countsOutOfMemory(`${this.root}${path}/memory.events`);
  }

  async remove(path: string): Promise<void> {
    await removeGroup(`${this.root}${path}`);
  }

  async children(path: string): Promise<readonly string[]> {
    const entries = await readdir(`${this.root}${path}`, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map((entry) => `${path}/${entry.name}`);
  }

  /** One by one: one that the kernel lacks must not keep the others away. */
  private async delegate(folder: string): Promise<void> {
    const available = (await readFile(`${folder}/cgroup.controllers`, 'utf8').catch(() => '')).trim().split(' ');
    const enabled = (await readFile(`${folder}/cgroup.subtree_control`, 'utf8').catch(() => '')).trim().split(' ');
    for (const name of DELEGATED) {
      if (available.includes(name) && !enabled.includes(name)) await writeControl(`${folder}/cgroup.subtree_control`, `+${name}`).catch(() => false);
    }
  }
}
