import type { V1Container, V1Pod } from '../../../api/generated/types.js';
import { quantityValue } from '../../../api/quantity.js';
import { timestamp } from '../../../api/meta/timestamp.js';
import type { CgroupCounters, FileSystemStats } from '../../runtime/native/stats/index.js';
import type { InterfaceCounters } from './network-counters.js';
import type { ContainerReading, MachineReading, PodReading } from './node-usage.js';
import type { VolumeReading } from './volume-sizes.js';

/** The interface that a summary names first. */
const DEFAULT_INTERFACE = 'eth0';
const NANOCORES_OF_A_MILLICORE = 1_000_000;

type Fields = Readonly<Record<string, unknown>>;

/** The body of `/stats/summary` (`stats.k8s.io/v1alpha1`), with only cpu and memory when `brief` (`only_cpu_and_memory=true`). */
export function summary(nodeName: string, machine: MachineReading, pods: readonly PodReading[], brief = false): Fields {
  const { stats, fileSystem, network, swap } = machine;
  const time = timestamp(stats.at);
  const disk = fsFields(time, fileSystem);
  return {
    node: {
      nodeName,
      systemContainers: machine.groups.map(({ name, startedAt, counters, cpuMillicores }) => ({ name, startTime: timestamp(startedAt), ...cpuAndMemory(time, counters, cpuMillicores) })),
      startTime: timestamp(machine.bootedAt),
      cpu: { time, usageNanoCores: stats.cpuMillicores * NANOCORES_OF_A_MILLICORE, usageCoreNanoSeconds: stats.cpuNanoseconds },
      memory: {
        time, availableBytes: stats.memory.availableBytes, usageBytes: stats.memory.usageBytes, workingSetBytes: stats.memory.workingSetBytes, rssBytes: stats.memory.rssBytes,
        pageFaults: stats.memory.pageFaults, majorPageFaults: stats.memory.majorPageFaults,
      },
      ...(brief ? {} : {
        network: networkFields(time, network),
        fs: disk,
        runtime: { imageFs: disk, containerFs: disk },
        rlimit: { time, maxpid: stats.processes.max, curproc: stats.processes.current },
      }),
      swap: { time, swapAvailableBytes: swap.availableBytes, swapUsageBytes: swap.usageBytes },
    },
    pods: pods.map((reading) => podFields(reading, fileSystem, brief)),
  };
}

/** Bytes that a pod keeps on the node's own disk. */
export function ephemeralBytes({ containers, volumes }: Pick<PodReading, 'containers' | 'volumes'>): number {
  const written = containers.reduce((total, { stats }) => total + (stats.rootfsUsedBytes ?? 0) + (stats.logsUsedBytes ?? 0), 0);
  return written + volumes.reduce((total, { ephemeral, fileSystem }) => total + (ephemeral ? fileSystem.usedBytes : 0), 0);
}

function podFields(reading: PodReading, disk: FileSystemStats, brief: boolean): Fields {
  const { pod, counters, network, volumes } = reading;
  const { name, namespace, uid } = pod.metadata ?? {};
  const time = timestamp(reading.at);
  return {
    podRef: { name, namespace, uid },
    startTime: timestamp(reading.sandboxAt),
    containers: reading.containers.map((container) => containerFields(pod, container, disk, brief)),
    ...(counters ? cpuAndMemory(time, counters, reading.cpuMillicores, podMemoryLimit(pod)) : {}),
    ...(brief ? {} : {
      ...(network ? { network: networkFields(time, network) } : {}),
      ...(volumes.length > 0 ? { volume: volumes.map((volume) => volumeFields(time, volume, namespace)) } : {}),
      'ephemeral-storage': {
        ...fsFields(time, { ...disk, usedBytes: ephemeralBytes(reading) }),
        inodesUsed: volumes.reduce((total, { ephemeral, fileSystem: own }) => total + (ephemeral ? (own.inodesUsed ?? 0) : 0), 0),
      },
      process_stats: { process_count: counters?.processes ?? 0 },
    }),
    swap: { time, swapUsageBytes: 0 },
  };
}

function containerFields(pod: V1Pod, { status, stats }: ContainerReading, disk: FileSystemStats, brief: boolean): Fields {
  const time = timestamp(stats.at);
  const limit = memoryLimit(containerOf(pod, status.name));
  return {
    name: status.name,
    startTime: timestamp(status.startedAt),
    cpu: { time, usageNanoCores: stats.cpuMillicores * NANOCORES_OF_A_MILLICORE, usageCoreNanoSeconds: stats.cpuNanoseconds },
    memory: {
      time,
      ...(limit > 0 ? { availableBytes: Math.max(0, limit - stats.memoryWorkingSetBytes) } : {}),
      ...(stats.memory ? { usageBytes: stats.memory.usageBytes } : {}),
      workingSetBytes: stats.memoryWorkingSetBytes,
      ...(stats.memory ? { rssBytes: stats.memory.rssBytes, pageFaults: stats.memory.pageFaults, majorPageFaults: stats.memory.majorPageFaults } : {}),
    },
    ...(brief ? {} : { rootfs: ownFields(time, disk, stats.rootfsUsedBytes), logs: ownFields(time, disk, stats.logsUsedBytes) }),
    swap: { time, swapUsageBytes: 0 },
  };
}

function cpuAndMemory(time: string, counters: CgroupCounters, millicores: number, limit = 0): Fields {
  return {
    cpu: { time, usageNanoCores: millicores * NANOCORES_OF_A_MILLICORE, usageCoreNanoSeconds: counters.cpuNanoseconds },
    memory: {
      time, ...(limit > 0 ? { availableBytes: Math.max(0, limit - counters.workingSetBytes) } : {}), usageBytes: counters.usageBytes, workingSetBytes: counters.workingSetBytes, rssBytes: counters.rssBytes,
      pageFaults: counters.pageFaults, majorPageFaults: counters.majorPageFaults,
    },
  };
}

function fsFields(time: string, { availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed }: VolumeReading['fileSystem']): Fields {
  return { time, availableBytes, capacityBytes, usedBytes, inodesFree, inodes, ...(inodesUsed === undefined ? {} : { inodesUsed }) };
}

/** A part of the disk whose files were not counted one by one. */
function ownFields(time: string, { availableBytes, capacityBytes, inodesFree, inodes }: FileSystemStats, usedBytes = 0): Fields {
  return { time, availableBytes, capacityBytes, usedBytes, inodesFree, inodes };
}

function volumeFields(time: string, { name, claim, fileSystem }: VolumeReading, namespace: string | undefined): Fields {
  return { ...fsFields(time, fileSystem), name, ...(claim === undefined ? {} : { pvcRef: { name: claim, namespace } }) };
}

function networkFields(time: string, interfaces: readonly InterfaceCounters[]): Fields {
  const list = interfaces.map(({ name, rxBytes, rxErrors, txBytes, txErrors }) => ({ name, rxBytes, rxErrors, txBytes, txErrors }));
  const first = list.find(({ name }) => name === DEFAULT_INTERFACE);
  return { time, ...(first ?? { name: '' }), interfaces: list };
}

function containerOf(pod: V1Pod, name: string): V1Container | undefined {
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find((container) => container.name === name);
}

function memoryLimit(container: V1Container | undefined): number {
  const text = container?.resources?.limits?.['memory'];
  return text === undefined ? 0 : quantityValue(text);
}

/** The limit of the pod's control group; 0: none. */
function podMemoryLimit(pod: V1Pod): number {
  const own = pod.spec?.resources?.limits?.['memory'];
  if (own !== undefined) return quantityValue(own);
  const limits = (pod.spec?.containers ?? []).map(memoryLimit);
  return limits.every((limit) => limit > 0) ? limits.reduce((total, limit) => total + limit, 0) : 0;
}
