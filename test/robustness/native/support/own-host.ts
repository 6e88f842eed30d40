import { readdir, readFile } from 'node:fs/promises';
import { DataDirectory } from '../../../../src/run/data-directory.js';
import { hostLayout } from '../../../../src/run/host-layout.js';
import type { NodeHost } from '../../../../src/node/host.js';

/** Names and places of the things that the cluster of a data directory has on this host. */
export function ownHost(dataDir: string): NodeHost {
  return hostLayout(new DataDirectory(dataDir));
}

/** One process of this host. */
export interface FoundProcess {
  readonly pid: number;
  readonly parent: number;
  readonly words: readonly string[];
  /** Its control groups: `/kube-…` below some controller. */
  readonly groups: string;
}

/** Every process that still has a command line, hence no kernel threads and no zombies. */
export async function processes(): Promise<readonly FoundProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(async (pid): Promise<FoundProcess[]> => {
    const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    const [line, stat, groups] = await Promise.all([read('cmdline'), read('stat'), read('cgroup')]);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (line === '' || fields[0] === 'Z') return [];
    return [{ pid: Number(pid), parent: Number(fields[1]), words: line.split('\0').slice(0, -1), groups }];
  }));
  return found.flat();
}

/** Places of all mounts of this host. */
export async function mountPoints(): Promise<readonly string[]> {
  return (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter((line) => line !== '').map((line) => line.split(' ')[4]!);
}
