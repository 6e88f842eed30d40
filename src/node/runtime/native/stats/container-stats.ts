import type { Clock } from '../../../../base/clock.js';
import type { ContainerStats } from '../../types.js';
import type { CounterReader } from './cgroup-counters.js';
import type { FolderSizes } from './folder-sizes.js';

/** Two looks that are closer together, in milliseconds, say little about the use in between. */
const SHORTEST = 1000;
/** An older look says nothing about the last seconds. */
const LONGEST = 120_000;

/** A container whose use is asked for. */
export interface MeasuredContainer {
  readonly containerId: string;
  readonly name: string;
  readonly cgroup: string;
  /** Folder of what it wrote to its own file system. */
  readonly writableFolder?: string;
  /** Folder of its logs. */
  readonly logFolder?: string;
}

interface Sample {
  readonly monotonic: number;
  readonly cpuNanoseconds: number;
}

interface Usage {
  /** The two last looks that are far enough apart. */
  readonly before?: Sample;
  readonly last: Sample;
}

/** The cpu use of control groups, from what was seen when somebody asked before. Nothing is measured when nobody asks. */
export class CpuUsage {
  private readonly seen = new Map<string, Usage>();

  constructor(private readonly clock: Clock) {}

  /** Thousandths of a core, between this look and an earlier one; 0 at the first. */
  millicores(key: string, cpuNanoseconds: number): number {
    const now: Sample = { monotonic: this.clock.monotonic(), cpuNanoseconds };
    const known = this.seen.get(key);
    // A counter that went back belongs to another group of the same name.
    const valid = known && known.last.cpuNanoseconds <= cpuNanoseconds && now.monotonic - known.last.monotonic <= LONGEST ? known : undefined;
    if (!valid) {
      this.seen.set(key, { last: now });
      return 0;
    }
    if (now.monotonic - valid.last.monotonic < SHORTEST) return valid.before ? rate(valid.before, now) : 0;
    this.seen.set(key, { before: valid.last, last: now });
    return rate(valid.last, now);
  }

  /** Forgets all but these. */
  retain(keys: ReadonlySet<string>): void {
    for (const key of this.seen.keys()) if (!keys.has(key)) this.seen.delete(key);
  }
}

function rate(from: Sample, to: Sample): number {
  // Nanoseconds per millisecond are millionths of a core.
  return Math.round((to.cpuNanoseconds - from.cpuNanoseconds) / (to.monotonic - from.monotonic) / 1000);
}

/** What the stats of containers are read with; one for a node. */
export interface StatsTools {
  readonly clock: Clock;
  readonly counters: CounterReader;
  readonly cpu: CpuUsage;
  readonly sizes: FolderSizes;
}

/** The use of a container at this moment; undefined when its control group is gone. Sizes of folders may be up to a minute old, and are absent before they were first counted. */
export async function readContainerStats(tools: StatsTools, container: MeasuredContainer): Promise<ContainerStats | undefined> {
  const found = await tools.counters.read(container.cgroup);
  if (!found) return undefined;
  const rootfs = container.writableFolder === undefined ? undefined : tools.sizes.latest(container.writableFolder);
  const logs = container.logFolder === undefined ? undefined : tools.sizes.latest(container.logFolder);
  return {
    containerId: container.containerId,
    name: container.name,
    at: tools.clock.now(),
    cpuNanoseconds: found.cpuNanoseconds,
    cpuMillicores: tools.cpu.millicores(container.containerId, found.cpuNanoseconds),
    memoryWorkingSetBytes: found.workingSetBytes,
    memory: { usageBytes: found.usageBytes, rssBytes: found.rssBytes, pageFaults: found.pageFaults, majorPageFaults: found.majorPageFaults },
    processes: found.processes,
    ...(rootfs ? { rootfsUsedBytes: rootfs.bytes } : {}),
    ...(logs ? { logsUsedBytes: logs.bytes } : {}),
  };
}
