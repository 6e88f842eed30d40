import os from 'node:os';
import type { CgroupCounters } from '../../runtime/native/stats/index.js';
import { Exposition } from './exposition.js';
import type { GroupDetails } from './group-details.js';
import type { InterfaceCounters } from './network-counters.js';
import type { MachineReading, PodReading } from './node-usage.js';

const NANOSECONDS = 1e9;

/** A control group as cAdvisor shows it: the machine's root, a pod's, a container's. */
export interface ShownGroup {
  /** Path of the group. */
  readonly id: string;
  /** Id of the container; empty for others. */
  readonly name: string;
  readonly image: string;
  readonly container: string;
  readonly pod: string;
  readonly namespace: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly startedAt: number;
  readonly counters: CgroupCounters;
  readonly details: GroupDetails;
  readonly network?: readonly InterfaceCounters[];
  /** Bytes that it wrote to its own file system. */
  readonly writtenBytes?: number;
}

/** Facts of the machine in `machine_*` and `cadvisor_version_info`. */
export interface ShownMachine {
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly memoryBytes: number;
}

/** The groups of a node: its root, every pod and every container. `details` reads what only this page tells. */
export async function shownGroups(machine: MachineReading, pods: readonly PodReading[], details: (path: string) => Promise<GroupDetails>): Promise<readonly ShownGroup[]> {
  const { stats, network } = machine;
  const root: ShownGroup = {
    id: '/', name: '', image: '', container: '', pod: '', namespace: '', at: stats.at, startedAt: machine.bootedAt, network, details: await details(''),
    counters: { ...stats.memory, cpuNanoseconds: stats.cpuNanoseconds, processes: stats.processes.current },
  };
  const lists = await Promise.all(pods.map(async (reading): Promise<readonly ShownGroup[]> => {
    const pod = { pod: reading.pod.metadata?.name ?? '', namespace: reading.pod.metadata?.namespace ?? '' };
    const containers = await Promise.all(reading.containers.map(async ({ status, stats: item, cgroup }): Promise<ShownGroup> => ({
      ...pod, id: cgroup, name: status.id, image: status.imageRef, container: status.name, at: item.at, startedAt: status.startedAt, details: await details(cgroup), ...(item.rootfsUsedBytes === undefined ? {} : { writtenBytes: item.rootfsUsedBytes }),
      counters: {
        cpuNanoseconds: item.cpuNanoseconds, workingSetBytes: item.memoryWorkingSetBytes, usageBytes: item.memory?.usageBytes ?? 0, rssBytes: item.memory?.rssBytes ?? 0, pageFaults: item.memory?.pageFaults ?? 0,
        majorPageFaults: item.memory?.majorPageFaults ?? 0, processes: item.processes ?? 0,
      },
    })));
    if (!reading.counters) return containers;
    const own: ShownGroup = { ...pod, id: reading.cgroup, name: '', image: '', container: '', at: reading.at, startedAt: reading.sandboxAt, counters: reading.counters, details: await details(reading.cgroup), ...(reading.network ? { network: reading.network } : {}) };
    return [own, ...containers];
  }));
  return [root, ...lists.flat()];
}

/** The body of `/metrics/cadvisor`. */
export function cadvisorMetrics(version: string, machine: ShownMachine, reading: MachineReading, groups: readonly ShownGroup[]): string {
  const text = new Exposition();
  text.add('cadvisor_version_info', 'gauge', 'A metric with a constant \'1\' value labeled by kernel version, OS version, docker version, cadvisor version & cadvisor revision.', {
    cadvisorRevision: '', cadvisorVersion: version, dockerVersion: '', kernelVersion: machine.kernelVersion, osVersion: machine.osImage,
  }, 1);
  const facts = { boot_id: machine.bootId, machine_id: machine.machineId, system_uuid: machine.systemUuid };
  const cores = os.cpus().length || 1;
  text.add('machine_cpu_cores', 'gauge', 'Number of logical CPU cores.', facts, cores);
  text.add('machine_memory_bytes', 'gauge', 'Amount of memory installed on the machine.', facts, machine.memoryBytes);
  text.add('machine_swap_bytes', 'gauge', 'Amount of swap memory available on the machine.', facts, reading.swap.availableBytes + reading.swap.usageBytes);
  for (const group of groups) addGroup(text, group, reading);
  text.add('container_scrape_error', 'gauge', '1 if there was an error while getting container metrics, 0 otherwise', {}, 0);
  return text.toString();
}

function addGroup(text: Exposition, group: ShownGroup, machine: MachineReading): void {
  const { counters, details, at } = group;
  const labels = { container: group.container, id: group.id, image: group.image, name: group.name, namespace: group.namespace, pod: group.pod };
  const gauge = (name: string, help: string, value: number | undefined, more: Readonly<Record<string, string>> = {}): void => {
    if (value !== undefined) text.add(`container_${name}`, 'gauge', help, { ...labels, ...more }, value, at);
  };
  const counter = (name: string, help: string, value: number | undefined, more: Readonly<Record<string, string>> = {}): void => {
    if (value !== undefined) text.add(`container_${name}`, 'counter', help, { ...labels, ...more }, value, at);
  };
  const fixed = (name: string, help: string, value: number | undefined): void => {
    if (value !== undefined) text.add(`container_${name}`, 'gauge', help, labels, value);
  };
  gauge('last_seen', 'Last time a container was seen by the exporter', Math.trunc(at / 1000));
  fixed('start_time_seconds', 'Start time of the container since unix epoch in seconds.', Math.trunc(group.startedAt / 1000));
  counter('cpu_usage_seconds_total', 'Cumulative cpu time consumed in seconds.', counters.cpuNanoseconds / NANOSECONDS, { cpu: 'total' });
  counter('cpu_user_seconds_total', 'Cumulative user cpu time consumed in seconds.', details.cpuUserSeconds);
  counter('cpu_system_seconds_total', 'Cumulative system cpu time consumed in seconds.', details.cpuSystemSeconds);
  if ((details.cpuQuota ?? -1) > 0) {
    counter('cpu_cfs_periods_total', 'Number of elapsed enforcement period intervals.', details.periods);
    counter('cpu_cfs_throttled_periods_total', 'Number of throttled period intervals.', details.throttledPeriods);
    counter('cpu_cfs_throttled_seconds_total', 'Total time duration the container has been throttled.', details.throttledSeconds);
    fixed('spec_cpu_quota', 'CPU quota of the container.', details.cpuQuota);
  }
  fixed('spec_cpu_period', 'CPU period of the container.', details.cpuPeriod);
  fixed('spec_cpu_shares', 'CPU share of the container.', details.cpuShares);
  fixed('spec_memory_limit_bytes', 'Memory limit for the container.', group.id === '/' ? machine.stats.memory.capacityBytes : details.memoryLimit);
  fixed('spec_memory_reservation_limit_bytes', 'Memory reservation limit for the container.', 0);
  fixed('spec_memory_swap_limit_bytes', 'Memory swap limit for the container.', 0);
  gauge('memory_usage_bytes', 'Current memory usage in bytes, including all memory regardless of when it was accessed', counters.usageBytes);
  gauge('memory_working_set_bytes', 'Current working set in bytes.', counters.workingSetBytes);
  gauge('memory_rss', 'Size of RSS in bytes.', counters.rssBytes);
  gauge('memory_swap', 'Container swap usage in bytes.', 0);
  gauge('memory_cache', 'Number of bytes of page cache memory.', details.cacheBytes);
  gauge('memory_mapped_file', 'Size of memory mapped files in bytes.', details.mappedFileBytes);
  gauge('memory_kernel_usage', 'Size of kernel memory allocated in bytes.', details.kernelBytes);
  gauge('memory_max_usage_bytes', 'Maximum memory usage recorded in bytes', details.maxUsageBytes);
  gauge('memory_total_active_file_bytes', 'Current total active file in bytes.', details.activeFileBytes);
  gauge('memory_total_inactive_file_bytes', 'Current total inactive file in bytes.', details.inactiveFileBytes);
  counter('memory_failcnt', 'Number of memory usage hits limits', details.failCount);
  for (const [type, value] of [['pgfault', counters.pageFaults], ['pgmajfault', counters.majorPageFaults]] as const) counter('memory_failures_total', 'Cumulative count of memory allocation failures.', value, { failure_type: type, scope: 'hierarchy' });
  counter('oom_events_total', 'Count of out of memory events observed for the container', details.oomKills);
  gauge('processes', 'Number of processes running inside the container.', counters.processes);
  gauge('threads', 'Number of threads running inside the container', counters.processes);
  gauge('threads_max', 'Maximum number of threads allowed inside the container, infinity if value is zero', details.threadsMax);
  counter('fs_reads_total', 'Cumulative count of reads completed', details.reads, { device: '' });
  counter('fs_writes_total', 'Cumulative count of writes completed', details.writes, { device: '' });
  counter('fs_reads_bytes_total', 'Cumulative count of bytes read', details.readBytes, { device: '' });
  counter('fs_writes_bytes_total', 'Cumulative count of bytes written', details.writtenBytes, { device: '' });
  const onDisk = group.id === '/' ? machine.fileSystem.usedBytes : group.writtenBytes;
  if (onDisk !== undefined) {
    gauge('fs_usage_bytes', 'Number of bytes that are consumed by the container on this filesystem.', onDisk, { device: '' });
    gauge('fs_limit_bytes', 'Number of bytes that can be consumed by the container on this filesystem.', machine.fileSystem.capacityBytes, { device: '' });
    gauge('fs_inodes_free', 'Number of available Inodes', machine.fileSystem.inodesFree, { device: '' });
    gauge('fs_inodes_total', 'Number of Inodes', machine.fileSystem.inodes, { device: '' });
  }
  for (const item of group.network ?? []) {
    const on = { interface: item.name };
    counter('network_receive_bytes_total', 'Cumulative count of bytes received', item.rxBytes, on);
    counter('network_receive_packets_total', 'Cumulative count of packets received', item.rxPackets, on);
    counter('network_receive_errors_total', 'Cumulative count of errors encountered while receiving', item.rxErrors, on);
    counter('network_receive_packets_dropped_total', 'Cumulative count of packets dropped while receiving', item.rxDropped, on);
    counter('network_transmit_bytes_total', 'Cumulative count of bytes transmitted', item.txBytes, on);
    counter('network_transmit_packets_total', 'Cumulative count of packets transmitted', item.txPackets, on);
    counter('network_transmit_errors_total', 'Cumulative count of errors encountered while transmitting', item.txErrors, on);
    counter('network_transmit_packets_dropped_total', 'Cumulative count of packets dropped while transmitting', item.txDropped, on);
  }
}
