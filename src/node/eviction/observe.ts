import { Quantity } from '../../api/quantity.js';
import type { FileSystemStats, NodeStats } from '../runtime/native/stats/index.js';
import type { PodReading } from '../server/stats/node-usage.js';
import { ephemeralBytes } from '../server/stats/summary.js';
import type { PodUsage } from './pod-usage.js';
import type { Observation, Observations, Signal } from './signals.js';

/** The signals of a machine, whose images and pods share one file system. */
export function observations(machine: Pick<NodeStats, 'memory' | 'processes'>, disk: FileSystemStats): Observations {
  const bytes = (available: number, capacity: number): Observation => ({ available: Quantity.of(available, 'BinarySI'), capacity });
  const list: [Signal, Observation][] = [['memory.available', bytes(machine.memory.availableBytes, machine.memory.capacityBytes)]];
  list.push(['nodefs.available', bytes(disk.availableBytes, disk.capacityBytes)], ['imagefs.available', bytes(disk.availableBytes, disk.capacityBytes)]);
  // Some file systems make inodes as they need them and count none.
  if (disk.inodes > 0) {
    const inodes: Observation = { available: Quantity.of(disk.inodesFree), capacity: disk.inodes };
    list.push(['nodefs.inodesFree', inodes], ['imagefs.inodesFree', inodes]);
  }
  const { current, max } = machine.processes;
  if (max > 0) list.push(['pid.available', { available: Quantity.of(Math.max(0, max - current)), capacity: max }]);
  return new Map(list);
}

/** A pod's reading in the terms of evictions. */
export function podUsage(reading: PodReading): PodUsage {
  const { counters, containers, volumes, pod } = reading;
  const emptyDirs = new Set(pod.spec?.volumes?.filter(({ emptyDir }) => emptyDir).map(({ name }) => name));
  return {
    ...(counters ? { memoryBytes: counters.workingSetBytes, processes: counters.processes } : {}),
    ephemeralBytes: ephemeralBytes(reading),
    inodes: volumes.reduce((total, { ephemeral, fileSystem }) => total + (ephemeral ? (fileSystem.inodesUsed ?? 0) : 0), 0),
    containers: containers.map(({ status, stats }) => ({
      name: status.name, memoryBytes: stats.memoryWorkingSetBytes, ...(stats.rootfsUsedBytes === undefined ? {} : { rootfsBytes: stats.rootfsUsedBytes }), ...(stats.logsUsedBytes === undefined ? {} : { logBytes: stats.logsUsedBytes }),
    })),
    emptyDirs: new Map(volumes.filter(({ name }) => emptyDirs.has(name)).map(({ name, fileSystem }) => [name, fileSystem.usedBytes])),
  };
}
