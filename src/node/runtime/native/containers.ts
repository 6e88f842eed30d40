import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { V1ResourceRequirements } from '../../../api/generated/types.js';
import { errorMessage, KubeError } from '../../../base/errors.js';
import { exists, makeFolder } from '../../../base/files.js';
import { isAlive } from '../../../base/process/alive.js';
import { runChecked } from '../../../base/process/run-checked.js';
import { RUNTIME_NOT_FOUND } from '../runtime.js';
import type { ContainerConfig, ContainerStatus, PodSandboxConfig, RuntimeEvent } from '../types.js';
import { cgroupLimits } from './cgroups/resources.js';
import { ContainerEntry } from './container-entry.js';
import type { ExitNotice, ExitWatch } from './exit-watch.js';
import { KeyedLock } from './keyed-lock.js';
import { launch } from './launch.js';
import { MonitorWatch } from './monitor-watch.js';
import { mountRootfs } from './overlay.js';
import { namesIn, writeRecord, type ContainerRecord, type SandboxRecord } from './records.js';
import { releaseBundle } from './release.js';
import { openFolder, readable } from './sandbox-host.js';
import { signalIdentity, signalNumber } from './signals.js';
import { containerSpec, type SpecInput } from './spec/container-spec.js';
import type { OwnMounts } from './spec/mounts.js';
import { resolveInRoot } from './spec/rootfs-path.js';
import { containerUser } from './spec/users.js';
import { terminationMessage } from './termination-message.js';
import type { NativeWorld } from './world.js';
import type { Sandboxes } from './sandboxes.js';

const SIGKILL = 9;
const KILLED = 128 + SIGKILL;
/** After a kill the monitor is given so long to write the exit down before it is looked for. */
const MONITOR_GRACE = 2000;
/** What cannot be killed in this time, such as a process that waits for a disk, fails the stop. */
const KILL_PATIENCE = 120_000;
/** containerd's exit code of containers that could not be started. */
const START_FAILED = 128;

/** The containers of a node. What is told about one is in its record; runc and its monitor do the work. */
export class Containers {
  /** Oldest first. */
  private readonly entries = new Map<string, ContainerEntry>();
  private readonly lock = new KeyedLock();
  private readonly monitors: MonitorWatch;

  constructor(
    private readonly world: NativeWorld,
    private readonly sandboxes: Sandboxes,
    private readonly exits: Pick<ExitWatch, 'read' | 'forget'>,
  ) {
    this.monitors = new MonitorWatch((id) => void this.lost(id).catch((error: unknown) => world.log.error('the end of a monitor could not be recorded', { container: id, error: errorMessage(error) })));
  }

  /** Takes up a container that an earlier run made; oldest first. */
  adopt(record: ContainerRecord): void {
    this.entries.set(record.id, new ContainerEntry(record));
  }

  /** From now on the ends of monitors are seen, also of those that were taken up. */
  async watchMonitors(): Promise<void> {
    for (const { id, state } of this.all()) if (state === 'running') await this.watchMonitor(id);
  }

  /** Lets go; what runs goes on. */
  close(): void {
    this.monitors.close();
  }

  /** Oldest first. */
  *all(podUid?: string): Iterable<ContainerRecord> {
    for (const { record } of this.entries.values()) if (podUid === undefined || record.podUid === podUid) yield record;
  }

  inSandbox(sandboxId: string): readonly ContainerRecord[] {
    return [...this.all()].filter((record) => record.sandboxId === sandboxId);
  }

  has(id: string): boolean {
    return this.entries.has(id);
  }

  require(id: string): ContainerRecord {
    return this.entry(id).record;
  }

  /** The record of a container that runs. Rejects (`KUBE_RUNTIME_NOT_RUNNING`) when it does not. */
  requireRunning(id: string): ContainerRecord {
    const { record } = this.entry(id);
    if (record.state !== 'running') throw new KubeError('KUBE_RUNTIME_NOT_RUNNING', `container ${id} is not running: it is in state ${record.state}`);
    return record;
  }

  /** Aborts once a container has ended. */
  exitOf(id: string): AbortSignal {
    return this.entry(id).exit;
  }

  async create(sandboxId: string, config: ContainerConfig, sandboxConfig: PodSandboxConfig): Promise<string> {
    const sandbox = this.readySandbox(sandboxId);
    const id = this.world.random.bytes(32).toString('hex');
    try {
      const record = await this.prepare(id, sandbox, config, sandboxConfig);
      this.readySandbox(sandboxId);
      await writeRecord(this.world.places.containerRecord(id), record);
      this.entries.set(id, new ContainerEntry(record));
      this.emit('created', record);
    } catch (error) {
      await this.discard(id, `${this.sandboxes.groupOf(sandbox.config)}/${id}`).catch((left: unknown) => this.world.log.warn('a container that could not be made was not cleared away', { container: id, error: errorMessage(left) }));
      throw error;
    }
    return id;
  }

  start(id: string): Promise<void> {
    return this.lock.run(id, async () => {
      const entry = this.entry(id);
      if (entry.record.state !== 'created') throw new KubeError('KUBE_RUNTIME_STATE', `container ${id} is in state ${entry.record.state}: only a created one can be started`);
      this.readySandbox(entry.record.sandboxId);
      await this.save(entry, { state: 'starting', startedAt: this.world.clock.now() });
      const { config, logPath } = entry.record;
      try {
        const processes = await launch(this.world, { id, logPath, tty: config.tty, stdin: config.stdin, stdinOnce: config.stdinOnce });
        await this.save(entry, { state: 'running', ...processes });
      } catch (error) {
        await this.release(entry);
        await this.exits.forget(id);
        await this.save(entry, { state: 'exited', finishedAt: this.world.clock.now(), exitCode: START_FAILED, reason: 'StartError', message: `failed to start container: ${errorMessage(error)}` });
        entry.end();
        this.emit('stopped', entry.record);
        throw new KubeError('KUBE_START', entry.record.message, { cause: error });
      }
      this.emit('started', entry.record);
      await this.watchMonitor(id);
    });
  }

  async stop(id: string, timeoutSeconds: number): Promise<void> {
    const entry = this.entries.get(id);
    if (!entry) return;
    // One that is just being started is stopped once it runs.
    if (entry.record.state === 'starting') await this.lock.run(id, () => Promise.resolve());
    const { record } = entry;
    if (record.state !== 'running') return;
    const { clock } = this.world;
    const deadline = clock.now() + timeoutSeconds * 1000;
    if (timeoutSeconds > 0 && !entry.asked) {
      entry.asked = true;
      if (record.init) await signalIdentity(record.init, signalNumber(record.stopSignal));
    }
    if (deadline < entry.killAt) {
      entry.killAt = deadline;
      entry.cancelKill();
      entry.cancelKill = clock.setTimeout(() => void this.kill(entry), deadline - clock.now());
    }
    await entry.ended;
    if (entry.failure) throw entry.failure;
  }

  async remove(id: string): Promise<void> {
    await this.stop(id, 0);
    await this.lock.run(id, async () => {
      const entry = this.entries.get(id);
      if (!entry) return;
      const { record } = entry;
      await this.removeLogs(record);
      await this.discard(id, record.cgroup);
      this.entries.delete(id);
      this.emit('removed', record);
    });
  }

  /** A monitor wrote down that its container has ended. */
  async exited(notice: ExitNotice): Promise<void> {
    await this.lock.run(notice.id, () => this.finish(notice));
  }

  /** Sets limits anew; without limits there are none. */
  async update(id: string, resources: V1ResourceRequirements): Promise<void> {
    const record = this.requireRunning(id);
    const { cgroups, facts } = this.world;
    await cgroups.set(record.cgroup, { cpuQuota: -1, memory: -1, ...cgroupLimits(resources, facts.pageSizes) });
  }

  /** Takes away whatever exists of a container of which nothing will be told any more. Idempotent. */
  async discard(id: string, cgroup: string): Promise<void> {
    const { places, images } = this.world;
    await releaseBundle(this.world, id, cgroup);
    await this.exits.forget(id);
    await images.release(id);
    await rm(places.container(id), { recursive: true, force: true });
  }

  /** A monitor is gone. It writes the exit down before it goes; one that did not was killed, and its container can neither log nor be waited for any more. */
  private async lost(id: string): Promise<void> {
    const written = await this.exits.read(id);
    if (written) return this.exited(written);
    const record = this.entries.get(id)?.record;
    if (record?.state !== 'running' || (record.monitor && (await isAlive(record.monitor)))) return;
    this.world.log.warn('the monitor of a container died: the container is ended', { container: id });
    await this.world.cgroups.kill(record.cgroup);
    await this.exited({ id, exitCode: KILLED, at: this.world.clock.now() });
  }

  private async finish({ id, exitCode, at }: ExitNotice): Promise<void> {
    const entry = this.entries.get(id);
    if (!entry || (entry.record.state !== 'running' && entry.record.state !== 'starting')) return;
    const { places, log, cgroups } = this.world;
    const { config, logPath, startedAt } = entry.record;
    const outOfMemory = (await cgroups.ranOutOfMemory(entry.record.cgroup)) || (await exists(`${places.bundle(id)}/oom`));
    const message = await terminationMessage({ file: places.terminationMessage(id), policy: config.terminationMessagePolicy, logPath, exitCode }).catch((error: unknown) => {
      log.warn('a termination message could not be read', { container: id, error: errorMessage(error) });
      return '';
    });
    const changes = { state: 'exited', finishedAt: Math.max(at, startedAt), exitCode, reason: outOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error', message } as const;
    const written = await this.save(entry, changes).then(() => true, (error: unknown) => {
      // It has ended all the same, also when the disk is full.
      log.error('the end of a container could not be written down', { container: id, error: errorMessage(error) });
      entry.record = { ...entry.record, ...changes };
      return false;
    });
    entry.end();
    this.emit('stopped', entry.record);
    await this.release(entry).catch((error: unknown) => log.warn('what an ended container had could not be cleared away', { container: id, error: errorMessage(error) }));
    // Otherwise it is what tells the next run.
    if (written) await this.exits.forget(id);
  }

  /** SIGKILL for all of its processes. Where the monitor is gone too, nobody else would write down that it has ended. */
  private async kill(entry: ContainerEntry): Promise<void> {
    const { world } = this;
    const { record } = entry;
    try {
      if (record.init) await signalIdentity(record.init, SIGKILL);
      await world.cgroups.kill(record.cgroup);
    } catch (error) {
      world.log.error('a container could not be killed', { container: record.id, error: errorMessage(error) });
    }
    const since = world.clock.now();
    const look = async (): Promise<void> => {
      if (entry.record.state !== 'running') return;
      if (!record.monitor || !(await isAlive(record.monitor))) return this.exited({ id: record.id, exitCode: KILLED, at: world.clock.now() });
      if (world.clock.now() - since < KILL_PATIENCE) return lookAgain();
      entry.fail(new KubeError('KUBE_RUNTIME_KILL', `container ${record.id} did not end within ${KILL_PATIENCE / 1000} s of being killed`));
    };
    const lookAgain = (): void => {
      entry.cancelKill = world.clock.setTimeout(() => {
        void look().catch((error: unknown) => {
          world.log.error('the end of a killed container could not be recorded', { container: record.id, error: errorMessage(error) });
          lookAgain();
        });
      }, MONITOR_GRACE);
    };
    if (entry.record.state === 'running') lookAgain();
  }

  private async prepare(id: string, sandbox: SandboxRecord, config: ContainerConfig, sandboxConfig: PodSandboxConfig): Promise<ContainerRecord> {
    const { world } = this;
    const { places, images } = world;
    const image = await images.unpacked(config.imageRef);
    if (!image) throw new KubeError('KUBE_IMAGE', `image ${JSON.stringify(config.imageRef)} is not present`);
    // The folder comes first: after a crash in between it is what tells of the hold.
    await makeFolder(places.container(id));
    await images.hold(config.imageRef, id);
    await mountRootfs(world, id, image.layers);
    const rootfs = places.rootfs(id);
    const user = await containerUser({ rootfs, imageUser: image.config.user, pod: sandboxConfig.securityContext, container: config.securityContext });
    const logPath = sandboxConfig.logDirectory === '' ? places.ownLog(id) : join(sandboxConfig.logDirectory, config.logPath);
    await openFolder(dirname(logPath));
    const cgroup = `${this.sandboxes.groupOf(sandbox.config)}/${id}`;
    const spec = await containerSpec({
      config, sandbox: sandboxConfig, image: image.config, user, rootfs, own: await this.ownMounts(id, sandbox, config, image.config.volumes), cgroupsPath: cgroup, cgroupVersion: world.cgroups.version,
      namespaces: this.namespaces(sandbox, config), facts: world.facts, seccompFolder: world.seccompFolder,
    });
    await writeFile(join(places.bundle(id), 'config.json'), JSON.stringify(spec), { mode: 0o600 });
    const { name, attempt, kind, imageRef, specHash, stdin, stdinOnce, tty, terminationMessagePath, terminationMessagePolicy } = config;
    return {
      id, sandboxId: sandbox.id, podUid: sandbox.config.metadata.uid, createdAt: world.clock.now(), state: 'created', startedAt: 0, finishedAt: 0, exitCode: 0, reason: '', message: '', logPath, cgroup,
      config: { name, attempt, kind, image: config.image, imageRef, specHash, stdin, stdinOnce, tty, terminationMessagePath, terminationMessagePolicy },
      stopSignal: config.stopSignal ?? (image.config.stopSignal || 'SIGTERM'),
      user: { uid: user.uid, gid: user.gid, supplementalGroups: user.additionalGids },
    };
  }

  private namespaces(sandbox: SandboxRecord, config: ContainerConfig): SpecInput['namespaces'] {
    const { places } = this.world;
    const { hostNetwork, hostIpc, hostPid } = sandbox.config;
    const target = config.targetContainerId === undefined ? sandbox.pause : this.requireRunning(config.targetContainerId).init;
    return {
      ...(hostNetwork ? {} : { net: places.namespace(sandbox.id, 'net'), uts: places.namespace(sandbox.id, 'uts') }),
      ...(hostIpc ? {} : { ipc: places.namespace(sandbox.id, 'ipc') }),
      pid: hostPid ? 'host' : target ? { path: `/proc/${target.pid}/ns/pid` } : 'own',
    };
  }

  private async ownMounts(id: string, sandbox: SandboxRecord, config: ContainerConfig, volumes: readonly string[]): Promise<OwnMounts> {
    const { places } = this.world;
    if (config.terminationMessagePath !== '') await readable(places.terminationMessage(id), '', 0o666);
    return {
      hostname: places.hostname(sandbox.id),
      resolvConf: places.resolvConf(sandbox.id),
      shm: sandbox.config.hostIpc ? '/dev/shm' : places.shm(sandbox.id),
      ...(config.terminationMessagePath === '' ? {} : { terminationMessage: { hostPath: places.terminationMessage(id), containerPath: config.terminationMessagePath } }),
      volumes: await Promise.all(volumes.map(async (containerPath, index) => ({ containerPath, hostPath: await this.makeVolume(id, containerPath, index) }))),
    };
  }

  /** A volume of the image begins with what the image has there. */
  private async makeVolume(id: string, containerPath: string, index: number): Promise<string> {
    const { places } = this.world;
    const folder = join(places.imageVolumes(id), String(index));
    await openFolder(folder);
    const source = await resolveInRoot(places.rootfs(id), containerPath);
    if (await exists(source)) await runChecked(this.world.commands, 'cp', ['-a', '--', `${source}/.`, folder]);
    return folder;
  }

  private async removeLogs({ logPath }: ContainerRecord): Promise<void> {
    const folder = dirname(logPath);
    const name = logPath.slice(folder.length + 1);
    for (const file of await namesIn(folder)) if (file === name || file.startsWith(`${name}.`)) await rm(join(folder, file), { force: true });
  }

  private release(entry: ContainerEntry): Promise<void> {
    return releaseBundle(this.world, entry.record.id, entry.record.cgroup);
  }

  private async save(entry: ContainerEntry, changes: Partial<ContainerRecord>): Promise<void> {
    const record = { ...entry.record, ...changes };
    await writeRecord(this.world.places.containerRecord(record.id), record);
    entry.record = record;
  }

  private entry(id: string): ContainerEntry {
    const entry = this.entries.get(id);
    if (!entry) throw new KubeError(RUNTIME_NOT_FOUND, `container ${JSON.stringify(id)}: not found`);
    return entry;
  }

  private async watchMonitor(id: string): Promise<void> {
    await this.monitors.add(id, this.world.places.bundle(id)).catch((error: unknown) => this.world.log.warn('the monitor of a container cannot be watched', { container: id, error: errorMessage(error) }));
  }

  private readySandbox(id: string): SandboxRecord {
    const sandbox = this.sandboxes.require(id);
    if (sandbox.state !== 'ready') throw new KubeError('KUBE_RUNTIME_STATE', `sandbox ${id} is not ready`);
    return sandbox;
  }

  private emit(type: RuntimeEvent['type'], record: ContainerRecord): void {
    this.world.events.emit({ type, podUid: record.podUid, sandboxId: record.sandboxId, containerId: record.id });
  }
}

/** A container in the seam's terms. */
export function containerStatus(record: ContainerRecord): ContainerStatus {
  const { id, sandboxId, podUid, config, createdAt, finishedAt, exitCode, reason, message, user } = record;
  // Whether one that is just being started runs is not known yet.
  const state = record.state === 'starting' ? 'created' : record.state;
  return {
    id, sandboxId, podUid, name: config.name, attempt: config.attempt, kind: config.kind, state, createdAt, startedAt: state === 'created' ? 0 : record.startedAt, finishedAt, exitCode, image: config.image, imageRef: config.imageRef,
    reason, message, specHash: config.specHash, user,
  };
}
