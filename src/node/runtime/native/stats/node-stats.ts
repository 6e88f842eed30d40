import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../../base/clock.js';
import type { CounterReader } from './cgroup-counters.js';
import type { CpuUsage } from './container-stats.js';

/** A tick of `/proc/stat` in nanoseconds: Linux tells programs 100 a second, whatever it counts with. */
const TICK = 10_000_000;

/** A file system. */
export interface FileSystemStats {
  readonly capacityBytes: number;
  /** What processes without privileges may still take. */
  readonly availableBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly inodesUsed: number;
}

/** A machine as a whole, for the summary and for eviction. */
export interface NodeStats {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly cpuNanoseconds: number;
  readonly cpuMillicores: number;
  readonly memory: {
    readonly capacityBytes: number;
    /** Capacity without the working set, as the kubelet's eviction signal `memory.available` has it. */
    readonly availableBytes: number;
    readonly usageBytes: number;
    readonly workingSetBytes: number;
    readonly rssBytes: number;
    readonly pageFaults: number;
    readonly majorPageFaults: number;
  };
  readonly processes: { readonly current: number; readonly max: number };
}

/** What the stats of a node are read with. */
export interface NodeStatsTools {
  readonly clock: Clock;
  readonly cpu: CpuUsage;
  readonly counters: CounterReader;
  /** Default `/proc`. */
  readonly procFolder?: string;
}

/** Reads the machine's use from `/proc` and its root control group. */
export async function readNodeStats(tools: NodeStatsTools): Promise<NodeStats> {
  const { clock, cpu, counters, procFolder = '/proc' } = tools;
  const read = (name: string): Promise<string> => readFile(join(procFolder, name), 'utf8').catch(() => '');
  const [stat, meminfo, vmstat, loadavg, pidMax, root] = await Promise.all([read('stat'), read('meminfo'), read('vmstat'), read('loadavg'), read('sys/kernel/pid_max'), counters.read('')]);
  const cpuNanoseconds = busyTicks(stat) * TICK;
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0) * 1024;
  const events = (name: string): number => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(vmstat)?.[1] ?? 0);
  const capacityBytes = kilobytes('MemTotal');
  // The root group of version 2 has no memory.current: its use is what is not free.
  const usageBytes = root && root.usageBytes > 0 ? root.usageBytes : capacityBytes - kilobytes('MemFree');
  const workingSetBytes = root && root.usageBytes > 0 ? root.workingSetBytes : Math.max(0, usageBytes - kilobytes('Inactive\\(file\\)'));
  return {
    at: clock.now(),
    cpuNanoseconds,
    cpuMillicores: cpu.millicores('node', cpuNanoseconds),
    memory: {
      capacityBytes, usageBytes, workingSetBytes, availableBytes: Math.max(0, capacityBytes - workingSetBytes), rssBytes: kilobytes('AnonPages'), pageFaults: events('pgfault'), majorPageFaults: events('pgmajfault'),
    },
    processes: { current: Number(/\/(\d+) /.exec(loadavg)?.[1] ?? 0), max: Number(pidMax.trim() || 0) },
  };
}

/** The file system on which a folder is. Throws the system's error when there is none. */
export async function readFileSystemStats(folder: string): Promise<FileSystemStats> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(folder);
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize, usedBytes: (blocks - bfree) * bsize, inodes: files, inodesFree: ffree, inodesUsed: files - ffree };
}

/** Ticks in which any cpu did something; time given to guests is counted in the first two already. */
function busyTicks(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? '').split(' ').map(Number);
  return user + nice + system + irq + softirq + steal;
}
