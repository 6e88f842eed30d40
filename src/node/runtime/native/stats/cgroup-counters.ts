import { readFile } from 'node:fs/promises';

/** What the kernel counts of a control group. */
export interface CgroupCounters {
  readonly cpuNanoseconds: number;
  /** Memory with all caches. */
  readonly usageBytes: number;
  /** Memory that cannot be given back easily: use without inactive file pages. */
  readonly workingSetBytes: number;
  readonly rssBytes: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  readonly processes: number;
}

/** Reads the counters of control groups below `root`, usually `/sys/fs/cgroup`. */
export interface CounterReader {
  /** `path` begins with `/` and is the same below every controller. Undefined when there is no such group (any more). */
  read(path: string): Promise<CgroupCounters | undefined>;
}

/** The reader for the version of control groups that is mounted at `root`; both at once (hybrid) count as version 1. */
export async function openCounters(root: string): Promise<CounterReader> {
  return (await readText(`${root}/cgroup.controllers`)) === undefined ? new CountersV1(root) : new CountersV2(root);
}

class CountersV1 implements CounterReader {
  constructor(private readonly root: string) {}

  async read(path: string): Promise<CgroupCounters | undefined> {
    const file = (controller: string, name: string): Promise<string | undefined> => readText(`${this.root}/${controller}${path}/${name}`);
    const [cpu, usage, stat, pids] = await Promise.all([file('cpuacct', 'cpuacct.usage'), file('memory', 'memory.usage_in_bytes'), file('memory', 'memory.stat'), file('pids', 'pids.current')]);
    if (cpu === undefined && usage === undefined) return undefined;
    const memory = keyed(stat);
    return counters(Number(cpu ?? 0), Number(usage ?? 0), memory('total_inactive_file'), { rss: memory('total_rss'), faults: memory('total_pgfault'), major: memory('total_pgmajfault') }, Number(pids ?? 0));
  }
}

class CountersV2 implements CounterReader {
  constructor(private readonly root: string) {}

  async read(path: string): Promise<CgroupCounters | undefined> {
    const file = (name: string): Promise<string | undefined> => readText(`${this.root}${path}/${name}`);
    const [cpu, usage, stat, pids] = await Promise.all([file('cpu.stat'), file('memory.current'), file('memory.stat'), file('pids.current')]);
    if (cpu === undefined && usage === undefined) return undefined;
    const memory = keyed(stat);
    return counters(keyed(cpu)('usage_usec') * 1000, Number(usage ?? 0), memory('inactive_file'), { rss: memory('anon'), faults: memory('pgfault'), major: memory('pgmajfault') }, Number(pids ?? 0));
  }
}

function counters(cpuNanoseconds: number, usageBytes: number, inactive: number, memory: { readonly rss: number; readonly faults: number; readonly major: number }, processes: number): CgroupCounters {
  return { cpuNanoseconds, usageBytes, workingSetBytes: Math.max(0, usageBytes - inactive), rssBytes: memory.rss, pageFaults: memory.faults, majorPageFaults: memory.major, processes };
}

/** A file of lines `name value`; what is missing is 0. */
function keyed(text: string | undefined): (name: string) => number {
  const values = new Map((text ?? '').split('\n').map((line) => line.split(' ') as [string, string]));
  return (name) => Number(values.get(name) ?? 0);
}

/** Undefined when it cannot be read: a group may disappear at any moment. */
async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').then((text) => text.trim(), () => undefined);
}
