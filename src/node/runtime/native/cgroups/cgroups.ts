import { readdir } from 'node:fs/promises';
import { exists } from '../../../../base/files.js';
import { CgroupsV1 } from './v1.js';
import { CgroupsV2 } from './v2.js';
import type { CgroupLimits } from './resources.js';

/** The host's control groups. Paths begin with `/` and are the same below every controller. */
export interface Cgroups {
  readonly version: 1 | 2;
  /** Where a group's files of one controller are: `memory`, `cpu`, `cpuacct`, `pids`, …. */
  folder(controller: string, path: string): string;
  /** Makes a group and those above it, and sets its limits. Idempotent. */
  create(path: string, limits: CgroupLimits): Promise<void>;
  set(path: string, limits: CgroupLimits): Promise<void>;
  /** Files into which a process writes its number to enter a group that exists. */
  entrances(path: string): readonly string[];
  /** The processes in a group and in those below it. */
  processes(path: string): Promise<readonly number[]>;
  /** SIGKILL for everything in a group and below it, also when it multiplies meanwhile. */
  kill(path: string): Promise<void>;
  /** The kernel killed one of its processes because memory ran out. */
  ranOutOfMemory(path: string): Promise<boolean>;
  /** Removes a group and those below it; what still has processes stays. Idempotent. */
  remove(path: string): Promise<void>;
  /** Paths of the groups right below one, of any controller. */
  children(path: string): Promise<readonly string[]>;
}

/** The control groups below `root`, `/sys/fs/cgroup` unless a test has recorded others: version 2 when that is all there is. */
export async function openCgroups(root: string, kill: (pid: number) => void): Promise<Cgroups> {
  if (await exists(`${root}/cgroup.controllers`)) return new CgroupsV2(root, kill);
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return new CgroupsV1(root, entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name), kill);
}
