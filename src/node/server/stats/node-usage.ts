import { readFile } from 'node:fs/promises';
import type { V1Pod } from '../../../api/generated/types.js';
import { exists } from '../../../base/files.js';
import type { Clock } from '../../../base/clock.js';
import type { NodeHost } from '../../host.js';
import { podCgroup } from '../../pods/qos.js';
import type { ContainerStats, ContainerStatus, RuntimeService } from '../../runtime/index.js';
import { CpuUsage, openCounters, readFileSystemStats, readNodeStats, type CgroupCounters, type CounterReader, type FileSystemStats, type NodeStats } from '../../runtime/native/stats/index.js';
import type { PodVolumes } from '../../volumes/pod-volumes.js';
import { readGroupDetails, type GroupDetails } from './group-details.js';
import { processNetwork, type InterfaceCounters } from './network-counters.js';
import { Recent } from './recent.js';
import { readVolumes, type VolumeReading } from './volume-sizes.js';

/** Several who ask at the same time get the same readings, in milliseconds. */
const FRESH = 1000;

/** Control groups counted apart in a node's summary. */
export interface GroupReading {
  /** `kubelet`, `pods`. */
  readonly name: string;
  readonly startedAt: number;
  readonly counters: CgroupCounters;
  readonly cpuMillicores: number;
}

/** A machine at a moment. */
export interface MachineReading {
  readonly stats: NodeStats;
  /** Milliseconds since the epoch. */
  readonly bootedAt: number;
  readonly swap: { readonly usageBytes: number; readonly availableBytes: number };
  /** The file system on which images, containers, logs and volumes are: the kubelet's nodefs and imagefs in one. */
  readonly fileSystem: FileSystemStats;
  readonly network: readonly InterfaceCounters[];
  readonly groups: readonly GroupReading[];
}

/** A running container at a moment. */
export interface ContainerReading {
  readonly status: ContainerStatus;
  readonly stats: ContainerStats;
  /** Path of its control group. */
  readonly cgroup: string;
}

/** A pod at a moment. */
export interface PodReading {
  readonly pod: V1Pod;
  readonly cgroup: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Of the pod as a whole; absent when nothing of it runs. */
  readonly counters?: CgroupCounters;
  readonly cpuMillicores: number;
  readonly containers: readonly ContainerReading[];
  /** Absent with the host's network. */
  readonly network?: readonly InterfaceCounters[];
  readonly volumes: readonly VolumeReading[];
  /** Milliseconds since the epoch. */
  readonly sandboxAt: number;
}

/** What a node and its pods use. Everything is read when somebody asks, and no more than once a second. */
export interface NodeUsage {
  machine(): Promise<MachineReading>;
  /** The file system of the node's data. */
  disk(): Promise<FileSystemStats>;
  pod(pod: V1Pod): Promise<PodReading>;
  /** What the kernel tells of a control group beyond the usual. */
  details(cgroup: string): Promise<GroupDetails>;
  /** All running pods among these. */
  pods(pods: readonly V1Pod[]): Promise<readonly PodReading[]>;
}

export interface NodeUsageOptions {
  readonly host: NodeHost;
  readonly runtime: RuntimeService;
  readonly volumes: PodVolumes;
  readonly clock: Clock;
  /** Where the control groups are mounted. Default `/sys/fs/cgroup`. */
  readonly cgroupRoot?: string;
}

/** Makes the readings of this host's node. */
export async function openNodeUsage(options: NodeUsageOptions): Promise<NodeUsage> {
  const root = options.cgroupRoot ?? '/sys/fs/cgroup';
  return new HostUsage(options, root, (await exists(`${root}/cgroup.controllers`)) ? 2 : 1, await openCounters(root));
}

class HostUsage implements NodeUsage {
  private readonly cpu: CpuUsage;
  private readonly machines: Recent<MachineReading>;
  private readonly podReadings: Recent<PodReading>;
  private readonly startedAt: number;

  constructor(
    private readonly options: NodeUsageOptions,
    private readonly root: string,
    private readonly version: 1 | 2,
    private readonly counters: CounterReader,
  ) {
    const { clock } = options;
    this.cpu = new CpuUsage(clock);
    this.machines = new Recent(clock, FRESH);
    this.podReadings = new Recent(clock, FRESH);
    this.startedAt = clock.now();
  }

  machine(): Promise<MachineReading> {
    return this.machines.get('', () => this.readMachine());
  }

  disk(): Promise<FileSystemStats> {
    return readFileSystemStats(this.options.host.stateFolder);
  }

  pod(pod: V1Pod): Promise<PodReading> {
    return this.podReadings.get(pod.metadata?.uid ?? '', () => this.readPod(pod));
  }

  details(cgroup: string): Promise<GroupDetails> {
    return readGroupDetails(this.root, cgroup, this.version);
  }

  async pods(pods: readonly V1Pod[]): Promise<readonly PodReading[]> {
    this.cpu.retain(new Set(['node', 'kubelet', 'pods', ...pods.map((pod) => pod.metadata?.uid ?? '')]));
    const readings = await Promise.all(pods.map((pod) => this.pod(pod)));
    return readings.filter((reading) => reading.containers.length > 0);
  }

  private async readMachine(): Promise<MachineReading> {
    const { clock, host } = this.options;
    const [stats, fileSystem, meminfo, uptime, network, pods] = await Promise.all([
      readNodeStats({ clock, cpu: this.cpu, counters: this.counters }),
      this.disk(),
      readFile('/proc/meminfo', 'utf8').catch(() => ''),
      readFile('/proc/uptime', 'utf8').catch(() => '0'),
      processNetwork('self'),
      this.counters.read(host.cgroup),
    ]);
    const bytes = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0) * 1024;
    const free = bytes('SwapFree');
    return {
      stats, fileSystem, network: network ?? [],
      bootedAt: clock.now() - Number(uptime.split(' ')[0]) * 1000,
      swap: { usageBytes: bytes('SwapTotal') - free, availableBytes: free },
      groups: [this.ownGroup(), ...(pods ? [{ name: 'pods', startedAt: this.startedAt, counters: pods, cpuMillicores: this.cpu.millicores('pods', pods.cpuNanoseconds) }] : [])],
    };
  }

  /** This process, which upstream reports by its control group. */
  private ownGroup(): GroupReading {
    const { user, system } = process.cpuUsage();
    const { rss } = process.memoryUsage();
    const cpuNanoseconds = (user + system) * 1000;
    const counters: CgroupCounters = { cpuNanoseconds, usageBytes: rss, workingSetBytes: rss, rssBytes: rss, pageFaults: process.resourceUsage().minorPageFault, majorPageFaults: process.resourceUsage().majorPageFault, processes: 1 };
    return { name: 'kubelet', startedAt: this.startedAt, counters, cpuMillicores: this.cpu.millicores('kubelet', cpuNanoseconds) };
  }

  private async readPod(pod: V1Pod): Promise<PodReading> {
    const { host, runtime, volumes, clock } = this.options;
    const podUid = pod.metadata?.uid ?? '';
    const cgroup = host.cgroup + podCgroup(pod);
    const [counters, statuses, stats, counted, sandboxes] = await Promise.all([
      this.counters.read(cgroup), runtime.listContainers({ podUid }), runtime.containerStats({ podUid }), volumes.usage(podUid), runtime.listPodSandbox({ podUid }),
    ]);
    const containers = stats.flatMap((item): ContainerReading[] => {
      const status = statuses.find(({ id, state }) => id === item.containerId && state === 'running');
      return status ? [{ status, stats: item, cgroup: `${cgroup}/${item.containerId}` }] : [];
    });
    const network = pod.spec?.hostNetwork ? undefined : await this.podNetwork(containers);
    return {
      pod, cgroup, containers,
      at: clock.now(),
      ...(counters ? { counters } : {}),
      cpuMillicores: counters ? this.cpu.millicores(podUid, counters.cpuNanoseconds) : 0,
      ...(network ? { network } : {}),
      volumes: await readVolumes(pod, volumes.folders(podUid), counted),
      sandboxAt: sandboxes[0]?.createdAt ?? 0,
    };
  }

  /** Every process of a pod sees the same interfaces. */
  private async podNetwork(containers: readonly ContainerReading[]): Promise<readonly InterfaceCounters[] | undefined> {
    for (const { cgroup } of containers) {
      const pid = await this.firstProcess(cgroup);
      const network = pid === undefined ? undefined : await processNetwork(pid);
      if (network) return network;
    }
    return undefined;
  }

  private async firstProcess(cgroup: string): Promise<number | undefined> {
    const folder = this.version === 2 ? this.root : `${this.root}/memory`;
    const pid = Number.parseInt(await readFile(`${folder}${cgroup}/cgroup.procs`, 'utf8').catch(() => ''), 10);
    return pid > 0 ? pid : undefined;
  }
}
