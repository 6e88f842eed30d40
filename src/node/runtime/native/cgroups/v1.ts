import { mkdir, readFile, readdir } from 'node:fs/promises';
import type { Cgroups } from './cgroups.js';
import type { CgroupLimits } from './resources.js';
import { countsOutOfMemory, groupProcesses, removeGroup, writeControl } from './tree.js';

/** Controllers whose limits a pod's own group has; runc makes the group in the others. */
const LIMITED = ['cpu', 'memory', 'pids', 'hugetlb'];
/** A monitor is counted and found by these. */
const ENTERED = ['memory', 'pids', 'systemd'];
/** Reads of the freezer's state until all processes stand still. */
const FREEZE_READS = 100;

/** One hierarchy for each controller. */
export class CgroupsV1 implements Cgroups {
  readonly version = 1;

  constructor(
    private readonly root: string,
    private readonly hierarchies: readonly string[],
    private readonly killProcess: (pid: number) => void,
  ) {}

  folder(controller: string, path: string): string {
    return `${this.root}/${controller}${path}`;
  }

  async create(path: string, limits: CgroupLimits): Promise<void> {
    await Promise.all(this.present([...LIMITED, ...ENTERED]).map((controller) => mkdir(this.folder(controller, path), { recursive: true })));
    await this.set(path, limits);
  }

  async set(path: string, limits: CgroupLimits): Promise<void> {
    const write = (controller: string, file: string, value: number): Promise<boolean> => writeControl(`${this.folder(controller, path)}/${file}`, String(value));
    if (limits.cpuShares !== undefined) await write('cpu', 'cpu.shares', limits.cpuShares);
    if (limits.cpuPeriod !== undefined) await write('cpu', 'cpu.cfs_period_us', limits.cpuPeriod);
    if (limits.cpuQuota !== undefined) await write('cpu', 'cpu.cfs_quota_us', limits.cpuQuota);
    if (limits.memory !== undefined) await write('memory', 'memory.limit_in_bytes', limits.memory);
    if (limits.pids !== undefined) await writeControl(`${this.folder('pids', path)}/pids.max`, limits.pids < 0 ? 'max' : String(limits.pids));
    for (const { size, bytes } of limits.hugepages ?? []) await write('hugetlb', `hugetlb.${size}.limit_in_bytes`, bytes);
  }

  entrances(path: string): readonly string[] {
    return this.present(ENTERED).map((controller) => `${this.folder(controller, path)}/cgroup.procs`);
  }

  async processes(path: string): Promise<readonly number[]> {
    const lists = await Promise.all(this.present(['freezer', ...ENTERED]).map((controller) => groupProcesses(this.folder(controller, path))));
    return [...new Set(lists.flat())];
  }

  async kill(path: string): Promise<void> {
    const state = `${this.folder('freezer', path)}/freezer.state`;
    // What stands still cannot fork away from under the list that is read next.
    if (await writeControl(state, 'FROZEN').catch(() => false)) {
      for (let read = 0; read < FREEZE_READS && !(await readFile(state, 'utf8').catch(() => 'FROZEN')).startsWith('FROZEN'); read++);
    }
    try {
      for (const pid of await groupProcesses(this.folder('freezer', path))) this.killProcess(pid);
    } finally {
      await writeControl(state, 'THAWED').catch(() => false);
    }
  }

  ranOutOfMemory(path: string): Promise<boolean> {
    return countsOutOfMemory(`${this.folder('memory', path)}/memory.oom_control`);
  }

  async remove(path: string): Promise<void> {
    await Promise.all(this.hierarchies.map((controller) => removeGroup(this.folder(controller, path))));
  }

  async children(path: string): Promise<readonly string[]> {
    const names = await Promise.all(this.hierarchies.map((controller) => readdir(this.folder(controller, path), { withFileTypes: true }).catch(() => [])));
    return [...new Set(names.flat().filter((entry) => entry.isDirectory()).map((entry) => `${path}/${entry.name}`))];
  }

  private present(controllers: readonly string[]): string[] {
    return [...new Set(controllers)].filter((controller) => this.hierarchies.includes(controller) || (controller === 'cpu' && this.hierarchies.includes('cpu,cpuacct')));
  }
}
