import { rm } from 'node:fs/promises';
import type { V1ResourceRequirements } from '../../../api/generated/types.js';
import { quantityMilliValue } from '../../../api/quantity.js';
import { errorMessage, KubeError } from '../../../base/errors.js';
import { makeFolder } from '../../../base/files.js';
import { RUNTIME_NOT_FOUND } from '../runtime.js';
import type { PodSandboxConfig, PodSandboxStatus, RuntimeEvent } from '../types.js';
import { cgroupLimits, cpuShares } from './cgroups/resources.js';
import { KeyedLock } from './keyed-lock.js';
import { launchPause } from './pause.js';
import { writeRecord, type SandboxRecord } from './records.js';
import { releaseBundle } from './release.js';
import { makeSandboxHost, removeSandboxHost } from './sandbox-host.js';
import { sendSignal, signalIdentity } from './signals.js';
import type { NativeWorld } from './world.js';

const SIGKILL = 9;
const BURSTABLE = '/burstable';
const BEST_EFFORT = '/besteffort';

/** The sandboxes of a node. They have no process of their own, unless their containers share one: files hold their namespaces. */
export class Sandboxes {
  /** Oldest first. */
  private readonly records = new Map<string, SandboxRecord>();
  /** Sandboxes by the pod's control group, also those that are only being made. */
  private readonly groups = new Map<string, Map<string, PodSandboxConfig>>();
  private readonly lock = new KeyedLock();

  constructor(private readonly world: NativeWorld) {}

  /** Takes up a sandbox that an earlier run made. */
  adopt(record: SandboxRecord): void {
    this.records.set(record.id, record);
    this.use(record.id, record.config);
  }

  get(id: string): SandboxRecord | undefined {
    return this.records.get(id);
  }

  /** Oldest first. */
  all(): Iterable<SandboxRecord> {
    return this.records.values();
  }

  require(id: string): SandboxRecord {
    const record = this.records.get(id);
    if (!record) throw new KubeError(RUNTIME_NOT_FOUND, `sandbox ${JSON.stringify(id)}: not found`);
    return record;
  }

  /** Path of the control group that a sandbox's containers are made in. */
  groupOf(config: PodSandboxConfig): string {
    return `${this.world.host.cgroup}${config.cgroupParent}`;
  }

  async run(config: PodSandboxConfig): Promise<string> {
    const { world } = this;
    const id = world.random.bytes(32).toString('hex');
    try {
      await this.makeGroup(id, config);
      await makeSandboxHost(world, id, config);
      const ips = config.hostNetwork ? [] : (await this.attach(id, config)).ips;
      const pause = config.shareProcessNamespace && !config.hostPid ? (await launchPause(world, id, config, this.pauseGroup(id, config))).init : undefined;
      const record: SandboxRecord = { id, config, createdAt: world.clock.now(), state: 'ready', ips, ...(pause ? { pause } : {}) };
      await writeRecord(world.places.sandboxRecord(id), record);
      this.records.set(id, record);
    } catch (error) {
      await this.discard(id, config).catch((left: unknown) => world.log.warn('a sandbox that could not be made was not cleared away', { sandbox: id, error: errorMessage(left) }));
      throw error;
    }
    this.emit('sandbox-ready', config, id);
    return id;
  }

  /** Sets the requests and limits of a pod anew; without limits there are none. */
  async resize(id: string, resources: V1ResourceRequirements): Promise<void> {
    const { cgroups, facts, places } = this.world;
    const { config } = this.require(id);
    if (config.cgroupParent === '') return;
    await this.lock.run(`group ${config.cgroupParent}`, async () => {
      await cgroups.set(this.groupOf(config), { cpuQuota: -1, memory: -1, ...cgroupLimits(resources, facts.pageSizes) });
      const record: SandboxRecord = { ...this.require(id), config: { ...config, resources } };
      await writeRecord(places.sandboxRecord(id), record);
      this.records.set(id, record);
      this.use(id, record.config);
      await this.shareBetweenClasses(config.cgroupParent);
    });
  }

  /** Ends a sandbox whose containers have ended: gives its network and namespaces back. Idempotent. */
  async stop(id: string): Promise<void> {
    await this.lock.run(id, async () => {
      const record = this.records.get(id);
      if (record?.state !== 'ready') return;
      await this.releaseHost(id, record.config, record.pause);
      const stopped: SandboxRecord = { ...record, state: 'notready' };
      await writeRecord(this.world.places.sandboxRecord(id), stopped);
      this.records.set(id, stopped);
      this.emit('sandbox-stopped', record.config, id);
    });
  }

  /** Forgets a sandbox that was stopped and whose containers are removed. Idempotent. */
  async remove(id: string): Promise<void> {
    await this.lock.run(id, async () => {
      const record = this.records.get(id);
      if (!record) return;
      await this.leaveGroup(id, record.config);
      await rm(this.world.places.sandboxRecord(id), { force: true });
      this.records.delete(id);
      this.emit('sandbox-removed', record.config, id);
    });
  }

  /** Gives back whatever exists of a sandbox on the host. Idempotent. */
  private async releaseHost(id: string, config: PodSandboxConfig | undefined, pause: SandboxRecord['pause']): Promise<void> {
    const { world } = this;
    if (pause) await signalIdentity(pause, SIGKILL);
    if (config?.shareProcessNamespace) await releaseBundle(world, id, this.pauseGroup(id, config));
    if (!config?.hostNetwork) await world.network.detach(id);
    await removeSandboxHost(world, id);
  }

  private async discard(id: string, config: PodSandboxConfig): Promise<void> {
    await this.releaseHost(id, config, undefined);
    await this.leaveGroup(id, config);
  }

  private pauseGroup(id: string, config: PodSandboxConfig): string {
    return `${this.groupOf(config)}/${id}`;
  }

  private attach(id: string, config: PodSandboxConfig): Promise<{ readonly ips: readonly string[] }> {
    const { name, namespace, uid } = config.metadata;
    return this.world.network.attach({
      sandboxId: id, podUid: uid, podName: name, podNamespace: namespace, namespacePath: this.world.places.namespace(id, 'net'), portMappings: config.portMappings ?? [], annotations: config.annotations,
    });
  }

  private use(id: string, config: PodSandboxConfig): void {
    if (config.cgroupParent === '') return;
    const users = this.groups.get(config.cgroupParent) ?? new Map<string, PodSandboxConfig>();
    this.groups.set(config.cgroupParent, users.set(id, config));
  }

  private async makeGroup(id: string, config: PodSandboxConfig): Promise<void> {
    if (config.cgroupParent === '') return;
    const { cgroups, facts, podPidsLimit } = this.world;
    await this.lock.run(`group ${config.cgroupParent}`, async () => {
      this.use(id, config);
      await cgroups.create(this.groupOf(config), { ...cgroupLimits(config.resources, facts.pageSizes), swap: 0, ...(podPidsLimit > 0 ? { pids: podPidsLimit } : {}) });
      await this.shareBetweenClasses(config.cgroupParent);
    });
  }

  private async leaveGroup(id: string, config: PodSandboxConfig): Promise<void> {
    if (config.cgroupParent === '') return;
    await this.lock.run(`group ${config.cgroupParent}`, async () => {
      const users = this.groups.get(config.cgroupParent);
      users?.delete(id);
      if (users && users.size > 0) return;
      this.groups.delete(config.cgroupParent);
      await this.world.cgroups.remove(this.groupOf(config));
      await this.shareBetweenClasses(config.cgroupParent);
    });
  }

  /** A class of service has as much weight as its pods ask for together; the class that asks for nothing has the least. */
  private async shareBetweenClasses(parent: string): Promise<void> {
    const { cgroups, host } = this.world;
    if (parent.startsWith(`${BEST_EFFORT}/`)) await cgroups.set(`${host.cgroup}${BEST_EFFORT}`, { cpuShares: cpuShares(0) });
    if (!parent.startsWith(`${BURSTABLE}/`)) return;
    let milliCpu = 0;
    for (const [path, users] of this.groups) {
      const config = path.startsWith(`${BURSTABLE}/`) ? users.values().next().value : undefined;
      const cpu = config?.resources?.requests?.cpu;
      if (cpu !== undefined) milliCpu += quantityMilliValue(cpu);
    }
    await cgroups.set(`${host.cgroup}${BURSTABLE}`, { cpuShares: cpuShares(milliCpu) });
  }

  private emit(type: RuntimeEvent['type'], config: PodSandboxConfig, sandboxId: string): void {
    this.world.events.emit({ type, podUid: config.metadata.uid, sandboxId, containerId: '' });
  }
}

/** Makes the folders that sandboxes need. */
export async function prepareSandboxFolders({ places }: Pick<NativeWorld, 'places'>): Promise<void> {
  for (const folder of [places.sandboxRecords, places.sandboxes, places.bundles, places.exits, places.runc, places.execs, places.containers]) await makeFolder(folder);
}

/** A sandbox in the seam's terms. */
export function sandboxStatus(record: SandboxRecord): PodSandboxStatus {
  const { id, config, state, createdAt, ips } = record;
  return { id, metadata: config.metadata, state, createdAt, ips, hostNetwork: config.hostNetwork };
}

/** SIGKILL for a process by its number alone; one that is gone is no matter. */
export function killProcess(pid: number): void {
  sendSignal(pid, SIGKILL);
}
