import type { V1ResourceRequirements } from '../../../api/generated/types.js';
import { cpus } from 'node:os';
import { errorMessage, KubeError } from '../../../base/errors.js';
import { exists, makeFolder } from '../../../base/files.js';
import { defaultEnvironment } from '../../../base/process/direct.js';
import { findProgram } from '../../../base/process/find-program.js';
import { runChecked } from '../../../base/process/run-checked.js';
import { readContainerLog } from '../logs/index.js';
import type { HostRuntime, ResizingRuntime, RuntimeService } from '../runtime.js';
import type {
  ContainerConfig, ContainerStats, ContainerStatus, ExecResult, LogOptions, PodSandboxConfig, PodSandboxStatus, PortConnection, RuntimeEvent, RuntimeStatus, RuntimeVersion, StreamOptions, StreamSession,
} from '../types.js';
import { adopt } from './adopt.js';
import { openCgroups } from './cgroups/cgroups.js';
import { cpuShares } from './cgroups/resources.js';
import { Containers, containerStatus } from './containers.js';
import { EventHub } from './event-hub.js';
import { execProcess, execSync } from './exec-sync.js';
import { ExitWatch, type ExitNotice } from './exit-watch.js';
import { reopenLog } from './log-reopen.js';
import { Measurements } from './measurements.js';
import { mountTable } from './mount-table.js';
import { NativePlaces } from './places.js';
import { killProcess, prepareSandboxFolders, Sandboxes, sandboxStatus } from './sandboxes.js';
import { readHostFacts } from './spec/host-facts.js';
import { attachContainer, connectToSandboxPort, startExec } from './streams/index.js';
import { monitorsGroup, type NativeRuntimeOptions, type NativeRuntimeParts, type NativeWorld } from './world.js';

/** Prefix of container ids in the API: `runc://…`. */
const RUNTIME_NAME = 'runc';
/** The network namespace of this process. */
const HOST_NETWORK = '/proc/self/ns/net';
const CGROUP_ROOT = '/sys/fs/cgroup';

interface Started {
  readonly world: NativeWorld;
  readonly sandboxes: Sandboxes;
  readonly containers: Containers;
  readonly exits: ExitWatch;
  readonly measurements: Measurements;
  readonly version: string;
}

/** Runs containers by runc, each with conmon as its monitor. To be started before its first use. */
export class NativeRuntime implements RuntimeService, HostRuntime, ResizingRuntime {
  private readonly places: NativePlaces;
  private readonly events: EventHub;
  private started: Started | undefined;

  constructor(
    private readonly options: NativeRuntimeOptions,
    private readonly parts: NativeRuntimeParts,
  ) {
    this.places = new NativePlaces(options.host);
    this.events = new EventHub(parts.log);
  }

  async start(): Promise<void> {
    const { options, parts, places } = this;
    const { commands, log } = parts;
    const environment = defaultEnvironment();
    const [runc, conmon] = await Promise.all([findProgram(options.programs?.runc ?? 'runc', environment), findProgram(options.programs?.conmon ?? 'conmon', environment)]);
    const version = (await runChecked(commands, runc, ['--version'])).stdout.toString();
    const mounts = await mountTable();
    const sameBoot = mounts.some((mount) => mount.path === places.runFolder);
    await makeFolder(places.runFolder);
    await makeFolder(places.stateFolder);
    // Mounts of sandboxes and containers must not spread to other mount namespaces of the host.
    if (!sameBoot) await runChecked(commands, 'sh', ['-ec', 'mount --bind "$1" "$1"; mount --make-private "$1"', 'kube-run', places.runFolder]);
    await prepareSandboxFolders({ places });
    const root = options.cgroupRoot ?? CGROUP_ROOT;
    const cgroups = await openCgroups(root, killProcess);
    await cgroups.create(options.host.cgroup, { cpuShares: cpuShares(cpus().length * 1000) });
    await cgroups.create(monitorsGroup(options.host), {});
    const facts = await readHostFacts(cgroups.version === 2 || (await exists(`${root}/hugetlb`)));
    const world: NativeWorld = {
      ...parts, host: options.host, places, programs: { runc, conmon, catatonit: options.programs?.catatonit ?? 'catatonit' }, cgroups, facts, events: this.events, podPidsLimit: options.podPidsLimit ?? -1,
      seccompFolder: options.seccompFolder ?? `${places.stateFolder}/seccomp`,
    };
    const early: ExitNotice[] = [];
    let listener = (notice: ExitNotice): void => void early.push(notice);
    const exits = new ExitWatch(places.exits, (notice) => listener(notice), (error) => log.error('exits of containers are not seen', { error: errorMessage(error) }));
    const sandboxes = new Sandboxes(world);
    const containers = new Containers(world, sandboxes, exits);
    await exits.start();
    const started: Started = { world, sandboxes, containers, exits, measurements: await Measurements.open(world, root), version: /^runc version (\S+)/m.exec(version)?.[1] ?? 'unknown' };
    const takeUp = async (): Promise<void> => {
      listener = (notice) => void this.exited(started, notice).catch((error: unknown) => log.error('an exit could not be recorded', { container: notice.id, error: errorMessage(error) }));
      await Promise.all(early.map((notice) => this.exited(started, notice)));
      // The watch may not have come round to all of the files yet.
      const missed = await Promise.all([...containers.all()].map((record) => (record.state === 'running' ? exits.read(record.id) : undefined)));
      await Promise.all(missed.map((notice) => notice && containers.exited(notice)));
    };
    const adopted = await adopt(started, { sameBoot, mounts, takeUp });
    this.started = started;
    await containers.watchMonitors();
    log.info('containers of an earlier run taken up', { sandboxes: adopted.sandboxes, containers: adopted.containers });
  }

  stop(): Promise<void> {
    this.started?.exits.stop();
    this.started?.containers.close();
    this.started?.measurements.close();
    return Promise.resolve();
  }

  version(): Promise<RuntimeVersion> {
    return Promise.resolve({ runtimeName: RUNTIME_NAME, runtimeVersion: this.started?.version ?? 'unknown' });
  }

  status(): Promise<RuntimeStatus> {
    const { ready, message } = this.parts.network.status();
    const runtimeReady = this.started !== undefined;
    return Promise.resolve({ runtimeReady, networkReady: ready, message: runtimeReady ? message : 'container runtime is starting' });
  }

  async updateRuntimeConfig(config: { readonly podCidr: string }): Promise<void> {
    if (config.podCidr !== '') await this.parts.network.setPodCidr(config.podCidr);
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    return this.ready().sandboxes.run(config);
  }

  async stopPodSandbox(id: string): Promise<void> {
    const { sandboxes, containers } = this.ready();
    if (!sandboxes.get(id)) return;
    await Promise.all(containers.inSandbox(id).map((record) => containers.stop(record.id, 0)));
    await sandboxes.stop(id);
  }

  async removePodSandbox(id: string): Promise<void> {
    const { sandboxes, containers } = this.ready();
    await this.stopPodSandbox(id);
    await Promise.all(containers.inSandbox(id).map((record) => containers.remove(record.id)));
    await sandboxes.remove(id);
  }

  async podSandboxStatus(id: string): Promise<PodSandboxStatus> {
    return sandboxStatus(this.ready().sandboxes.require(id));
  }

  async listPodSandbox(filter: { readonly podUid?: string } = {}): Promise<readonly PodSandboxStatus[]> {
    return [...this.ready().sandboxes.all()].filter((record) => filter.podUid === undefined || record.config.metadata.uid === filter.podUid).map(sandboxStatus).reverse();
  }

  async createContainer(sandboxId: string, config: ContainerConfig, sandboxConfig: PodSandboxConfig): Promise<string> {
    return this.ready().containers.create(sandboxId, config, sandboxConfig);
  }

  async startContainer(id: string): Promise<void> {
    await this.ready().containers.start(id);
  }

  async stopContainer(id: string, timeoutSeconds: number): Promise<void> {
    await this.ready().containers.stop(id, timeoutSeconds);
  }

  async removeContainer(id: string): Promise<void> {
    await this.ready().containers.remove(id);
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    return containerStatus(this.ready().containers.require(id));
  }

  async listContainers(filter: { readonly podUid?: string } = {}): Promise<readonly ContainerStatus[]> {
    return [...this.ready().containers.all(filter.podUid)].map(containerStatus).reverse();
  }

  async updateContainerResources(id: string, resources: V1ResourceRequirements): Promise<void> {
    await this.ready().containers.update(id, resources);
  }

  async updatePodSandboxResources(id: string, resources: V1ResourceRequirements): Promise<void> {
    await this.ready().sandboxes.resize(id, resources);
  }

  async execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult> {
    const { world, containers } = this.ready();
    return execSync(world, containers.requireRunning(id), command, timeoutSeconds);
  }

  *runningLogs(): Iterable<{ readonly containerId: string; readonly path: string }> {
    for (const { id, state, logPath } of this.started?.containers.all() ?? []) if (state === 'running') yield { containerId: id, path: logPath };
  }

  async exec(id: string, command: readonly string[], options: StreamOptions): Promise<StreamSession> {
    const { world, containers } = this.ready();
    const { cgroup } = containers.requireRunning(id);
    const { places, programs, cgroups } = world;
    const process = await execProcess(world, id, command, options.tty);
    return startExec(world, { runc: programs.runc, root: places.runc, containerId: id, process, folder: places.execs, processes: () => cgroups.processes(cgroup) }, options);
  }

  async attach(id: string, options: StreamOptions): Promise<StreamSession> {
    const { world, containers } = this.ready();
    const { logPath, config } = containers.requireRunning(id);
    const { stdin, stdinOnce, tty } = config;
    return attachContainer(world.commands, { logPath, bundle: world.places.bundle(id), stdin, stdinOnce, tty, ended: containers.exitOf(id) }, options);
  }

  async portForward(sandboxId: string, port: number): Promise<PortConnection> {
    const { world, sandboxes } = this.ready();
    const { state, config } = sandboxes.require(sandboxId);
    if (state !== 'ready') throw new KubeError('KUBE_RUNTIME_NOT_RUNNING', `sandbox ${sandboxId} is not ready`);
    return connectToSandboxPort(world.commands, { sandboxId, namespace: config.hostNetwork ? HOST_NETWORK : world.places.namespace(sandboxId, 'net'), port });
  }

  containerLogs(id: string, options: LogOptions): AsyncIterable<Buffer> {
    const { containers } = this.ready();
    return readContainerLog(containers.require(id).logPath, options, containers.exitOf(id));
  }

  async reopenContainerLog(id: string): Promise<void> {
    const { world, containers } = this.ready();
    await reopenLog(world.places.bundle(id), containers.requireRunning(id).logPath);
  }

  async containerStats(filter: { readonly podUid?: string } = {}): Promise<readonly ContainerStats[]> {
    const { containers, measurements } = this.ready();
    return measurements.read([...containers.all()], (record) => filter.podUid === undefined || record.podUid === filter.podUid);
  }

  onEvent(listener: (event: RuntimeEvent) => void): () => void {
    return this.events.add(listener);
  }

  private async exited({ containers, sandboxes, exits }: Started, notice: ExitNotice): Promise<void> {
    if (containers.has(notice.id)) return containers.exited(notice);
    await exits.forget(notice.id);
    // A pause container: with it went all processes of its sandbox.
    if (sandboxes.get(notice.id)?.state === 'ready' && this.started) await this.stopPodSandbox(notice.id);
  }

  private ready(): Started {
    if (!this.started) throw new KubeError('KUBE_RUNTIME_NOT_STARTED', 'the container runtime has not started yet');
    return this.started;
  }
}
