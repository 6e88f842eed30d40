import { dirname } from 'node:path';
import type { ContainerStats } from '../types.js';
import type { ContainerRecord } from './records.js';
import { CpuUsage, FolderSizes, openCounters, readContainerStats, type CounterReader, type MeasuredContainer } from './stats/index.js';
import type { NativeWorld } from './world.js';

/** What the containers of a node use. Nothing is measured when nobody asks. */
export class Measurements {
  private readonly cpu: CpuUsage;
  private readonly sizes: FolderSizes;

  private constructor(
    private readonly world: NativeWorld,
    private readonly counters: CounterReader,
  ) {
    this.cpu = new CpuUsage(world.clock);
    this.sizes = new FolderSizes(world.commands, world.clock);
  }

  /** `cgroupRoot`: where the control groups are mounted. */
  static async open(world: NativeWorld, cgroupRoot: string): Promise<Measurements> {
    return new Measurements(world, await openCounters(cgroupRoot));
  }

  /** The use of those of `all` that run and are `wanted`; what was kept of others is forgotten. */
  async read(all: readonly ContainerRecord[], wanted: (record: ContainerRecord) => boolean): Promise<readonly ContainerStats[]> {
    const { clock } = this.world;
    const running = all.filter((record) => record.state === 'running');
    const measured = new Map(running.map((record) => [record, this.measured(record)]));
    this.cpu.retain(new Set(running.map((record) => record.id)));
    this.sizes.retain(new Set([...measured.values()].flatMap((item) => [item.writableFolder!, item.logFolder!])));
    const tools = { clock, counters: this.counters, cpu: this.cpu, sizes: this.sizes };
    const stats = await Promise.all(running.filter(wanted).map((record) => readContainerStats(tools, measured.get(record)!)));
    return stats.filter((item) => item !== undefined);
  }

  close(): void {
    this.sizes.close();
  }

  private measured({ id, config, cgroup, logPath }: ContainerRecord): MeasuredContainer {
    return { containerId: id, name: config.name, cgroup, writableFolder: this.world.places.upper(id), logFolder: dirname(logPath) };
  }
}
