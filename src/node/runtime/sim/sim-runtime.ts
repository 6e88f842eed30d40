import { sleep } from '../../../base/clock.js';
import { KubeError } from '../../../base/errors.js';
import type { V1Pod } from '../../../api/generated/types.js';
import { RUNTIME_NOT_FOUND, type AdoptingRuntime, type DecidingRuntime, type RuntimeService } from '../runtime.js';
import type {
  ContainerConfig, ContainerStats, ContainerStatus, ExecResult, LogOptions, PodSandboxConfig, PodSandboxStatus, PortConnection,
  ProbeKind, ProbeOutcome, RuntimeEvent, RuntimeStatus, RuntimeVersion, StreamOptions, StreamSession,
} from '../types.js';
import { AddressPool } from './address-pool.js';
import { adoptPod } from './adopt.js';
import { hasSimAnnotations, readBehaviour, type Behaviour, type FailPoint } from './behaviour.js';
import { ContainerLife } from './container-life.js';
import { containerStatus, isReady, sandboxStatus, type SimContainer, type SimSandbox } from './records.js';
import { planRun } from './shell.js';
import { simulatedLog } from './sim-logs.js';
import { attachSession, planExec, playRun, runToEnd, shellEnvironment, simulatedPort } from './sim-streams.js';
import type { SimImages } from './sim-images.js';
import type { SimWorld } from './world.js';

/** A runtime that pretends: containers are records and timers. One instance per node; what a pod does follows from its annotations and commands. */
export class SimRuntime implements RuntimeService, DecidingRuntime, AdoptingRuntime {
  private readonly sandboxes = new Map<string, SimSandbox>();
  private readonly containers = new Map<string, SimContainer>();
  private readonly pods = new Map<string, SimSandbox[]>();
  private readonly life: ContainerLife;
  private pool: AddressPool | undefined;
  private listeners: readonly ((event: RuntimeEvent) => void)[] = [];

  constructor(
    private readonly world: SimWorld,
    private readonly images: SimImages,
  ) {
    this.life = new ContainerLife(world.clock, world.latencies.completionMilliseconds, (type, container) => this.emit(type, container.sandbox, container.id));
  }

  version(): Promise<RuntimeVersion> {
    return Promise.resolve({ runtimeName: 'sim', runtimeVersion: '0.1.0' });
  }

  status(): Promise<RuntimeStatus> {
    return Promise.resolve({ runtimeReady: true, networkReady: true, message: '' });
  }

  updateRuntimeConfig(config: { readonly podCidr: string }): Promise<void> {
    if (config.podCidr !== '' && config.podCidr !== this.pool?.cidr) {
      this.pool = new AddressPool(config.podCidr);
      for (const sandbox of this.sandboxes.values()) this.pool.reserve(sandbox.ip);
    }
    return Promise.resolve();
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const behaviour = readBehaviour(config.annotations, '', this.world.latencies);
    if (behaviour.sandboxMilliseconds > 0) await sleep(this.world.clock, behaviour.sandboxMilliseconds);
    this.failIf(behaviour, 'CreateSandbox', config.metadata.attempt, 'failed to setup network for sandbox');
    const ip = config.hostNetwork ? '' : (this.pool ?? this.world.fallbackPool).take();
    if (ip === undefined) throw new KubeError('KUBE_SIM_ADDRESSES', `failed to allocate an address: no IP addresses available in ${(this.pool ?? this.world.fallbackPool).cidr}`);
    const sandbox: SimSandbox = {
      id: this.world.id(), metadata: config.metadata, annotations: hasSimAnnotations(config.annotations) ? config.annotations : NONE, hostname: config.hostname,
      hostNetwork: config.hostNetwork, createdAt: this.world.clock.now(), ready: true, ip, containers: [],
    };
    this.add(sandbox);
    this.emit('sandbox-ready', sandbox, '');
    return sandbox.id;
  }

  stopPodSandbox(id: string): Promise<void> {
    const sandbox = this.sandboxes.get(id);
    if (!sandbox?.ready) return Promise.resolve();
    sandbox.ready = false;
    for (const container of sandbox.containers) if (container.state === 'running') this.life.kill(container);
    this.release(sandbox);
    this.emit('sandbox-stopped', sandbox, '');
    return Promise.resolve();
  }

  async removePodSandbox(id: string): Promise<void> {
    const sandbox = this.sandboxes.get(id);
    if (!sandbox) return;
    await this.stopPodSandbox(id);
    for (const container of [...sandbox.containers]) await this.removeContainer(container.id);
    this.sandboxes.delete(id);
    const { uid } = sandbox.metadata;
    const left = (this.pods.get(uid) ?? []).filter((other) => other !== sandbox);
    if (left.length > 0) this.pods.set(uid, left);
    else this.pods.delete(uid);
    this.emit('sandbox-removed', sandbox, '');
  }

  podSandboxStatus(id: string): Promise<PodSandboxStatus> {
    const sandbox = this.sandboxes.get(id);
    return sandbox ? Promise.resolve(sandboxStatus(sandbox)) : Promise.reject(notFound('sandbox', id));
  }

  listPodSandbox(filter: { readonly podUid?: string } = {}): Promise<readonly PodSandboxStatus[]> {
    return Promise.resolve([...this.select(filter.podUid)].map(sandboxStatus).reverse());
  }

  createContainer(sandboxId: string, config: ContainerConfig, sandboxConfig: PodSandboxConfig): Promise<string> {
    const sandbox = this.sandboxes.get(sandboxId);
    if (!sandbox) return Promise.reject(notFound('sandbox', sandboxId));
    if (!sandbox.ready) return Promise.reject(new KubeError('KUBE_SIM_FAILURE', `sandbox ${sandboxId} is not running`));
    try {
      const behaviour = readBehaviour(sandboxConfig.annotations, config.name, this.world.latencies);
      this.failIf(behaviour, 'CreateContainer', config.attempt, 'failed to create containerd task');
      return Promise.resolve(this.addContainer(sandbox, config, behaviour).id);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async startContainer(id: string): Promise<void> {
    const container = this.container(id);
    if (container.state !== 'created') throw new KubeError('KUBE_SIM_FAILURE', `container ${id} is in state ${container.state}, not created`);
    const { behaviour, config } = container;
    if (behaviour.startMilliseconds > 0) await sleep(this.world.clock, behaviour.startMilliseconds);
    if (behaviour.fail.has('Start') && config.attempt < behaviour.failTimes) {
      container.state = 'exited';
      container.finishedAt = this.world.clock.now();
      container.exitCode = 128;
      container.reason = 'StartError';
      container.message = 'failed to start: the simulation was told to fail';
      throw new KubeError('KUBE_SIM_FAILURE', container.message);
    }
    // Stopped or removed in the meantime.
    if (this.containers.get(id) !== container || this.container(id).state !== 'created') throw new KubeError('KUBE_SIM_FAILURE', `container ${id} was stopped before it started`);
    this.life.start(container);
  }

  async stopContainer(id: string, timeoutSeconds: number): Promise<void> {
    const container = this.containers.get(id);
    if (container) await this.life.stop(container, timeoutSeconds * 1000);
  }

  removeContainer(id: string): Promise<void> {
    const container = this.containers.get(id);
    if (!container) return Promise.resolve();
    this.life.kill(container);
    this.containers.delete(id);
    const { containers } = container.sandbox;
    containers.splice(containers.indexOf(container), 1);
    this.emit('removed', container.sandbox, id);
    return Promise.resolve();
  }

  containerStatus(id: string): Promise<ContainerStatus> {
    const container = this.containers.get(id);
    return container ? Promise.resolve(containerStatus(container, this.world.clock.now())) : Promise.reject(notFound('container', id));
  }

  listContainers(filter: { readonly podUid?: string } = {}): Promise<readonly ContainerStatus[]> {
    const now = this.world.clock.now();
    const result: ContainerStatus[] = [];
    for (const sandbox of this.select(filter.podUid)) for (const container of sandbox.containers) result.push(containerStatus(container, now));
    return Promise.resolve(result.reverse());
  }

  updateContainerResources(id: string): Promise<void> {
    return this.containers.has(id) ? Promise.resolve() : Promise.reject(notFound('container', id));
  }

  async execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult> {
    return runToEnd(planExec(this.container(id), command), this.world.clock, timeoutSeconds);
  }

  async exec(id: string, command: readonly string[], options: StreamOptions): Promise<StreamSession> {
    return playRun(planExec(this.container(id), command), this.world.clock, options);
  }

  async attach(id: string, options: StreamOptions): Promise<StreamSession> {
    const container = this.container(id);
    if (container.state !== 'running') throw new KubeError('KUBE_RUNTIME_NOT_RUNNING', `container ${id} is not running`);
    const stop = new AbortController();
    const lines = simulatedLog(container, { follow: true, tailLines: 0, timestamps: false, signal: stop.signal }, this.world.clock);
    return attachSession(lines, options, () => stop.abort());
  }

  async portForward(sandboxId: string, port: number): Promise<PortConnection> {
    const sandbox = this.sandboxes.get(sandboxId);
    if (!sandbox?.ready) throw notFound('sandbox', sandboxId);
    return simulatedPort({ pod: sandbox.metadata.name, namespace: sandbox.metadata.namespace, port });
  }

  containerLogs(id: string, options: LogOptions): AsyncIterable<Buffer> {
    return simulatedLog(this.container(id), options, this.world.clock);
  }

  containerStats(filter: { readonly podUid?: string } = {}): Promise<readonly ContainerStats[]> {
    const at = this.world.clock.now();
    const result: ContainerStats[] = [];
    for (const sandbox of this.select(filter.podUid)) {
      for (const container of sandbox.containers) {
        if (container.state !== 'running') continue;
        // One thousandth of a core and 8 MiB: what an idle server takes.
        result.push({ containerId: container.id, name: container.config.name, at, cpuNanoseconds: (at - container.startedAt) * 1000, cpuMillicores: 1, memoryWorkingSetBytes: 8 * 1024 * 1024 });
      }
    }
    return Promise.resolve(result);
  }

  async probe(id: string, kind: ProbeKind): Promise<ProbeOutcome> {
    const container = this.container(id);
    const { behaviour, config } = container;
    const failing = kind !== 'readiness' && behaviour.fail.has(kind === 'startup' ? 'Startup' : 'Liveness') && config.attempt < behaviour.failTimes;
    const success = container.state === 'running' && !failing && (kind === 'liveness' || isReady(container, this.world.clock.now()));
    return { success, output: success ? '' : 'the simulated container is not ready' };
  }

  async runHook(id: string, hook: 'postStart' | 'preStop'): Promise<void> {
    const { behaviour, config } = this.container(id);
    this.failIf(behaviour, hook === 'postStart' ? 'PostStart' : 'PreStop', config.attempt, `${hook} hook`);
  }

  adopt(pod: V1Pod): void {
    if (this.pods.has(pod.metadata?.uid ?? '')) return;
    const found = adoptPod(pod, this.world);
    if (!found) return;
    this.add(found.sandbox);
    (this.pool ?? this.world.fallbackPool).reserve(found.sandbox.ip);
    for (const container of found.containers) {
      this.containers.set(container.id, container);
      found.sandbox.containers.push(container);
      this.images.add(container.config.image);
      if (container.state === 'running') this.life.arm(container, this.world.clock.now());
    }
  }

  onEvent(listener: (event: RuntimeEvent) => void): () => void {
    this.listeners = [...this.listeners, listener];
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener);
    };
  }

  private addContainer(sandbox: SimSandbox, config: ContainerConfig, behaviour: Behaviour): SimContainer {
    const { name, attempt, kind, runsToCompletion, image, imageRef, envs, specHash, ports } = config;
    const kept = { name, attempt, kind, runsToCompletion, image, imageRef, envs, specHash, ...(ports ? { ports } : {}) };
    const run = planMain(config, sandbox);
    const container: SimContainer = {
      id: this.world.id(), sandbox, config: kept, behaviour, run, createdAt: this.world.clock.now(), state: 'created', startedAt: 0, finishedAt: 0, exitCode: 0, reason: '', message: '',
      cancelExit: undefined, cancelStop: undefined, cancelReady: undefined, killAt: Infinity, waiters: undefined,
    };
    this.containers.set(container.id, container);
    sandbox.containers.push(container);
    this.emit('created', sandbox, container.id);
    return container;
  }

  private add(sandbox: SimSandbox): void {
    this.sandboxes.set(sandbox.id, sandbox);
    const { uid } = sandbox.metadata;
    this.pods.set(uid, [...(this.pods.get(uid) ?? []), sandbox]);
  }

  private release(sandbox: SimSandbox): void {
    if (sandbox.ip === '') return;
    this.pool?.release(sandbox.ip);
    this.world.fallbackPool.release(sandbox.ip);
    sandbox.ip = '';
  }

  private select(podUid: string | undefined): Iterable<SimSandbox> {
    return podUid === undefined ? this.sandboxes.values() : (this.pods.get(podUid) ?? []);
  }

  private container(id: string): SimContainer {
    const container = this.containers.get(id);
    if (!container) throw notFound('container', id);
    return container;
  }

  private failIf(behaviour: Behaviour, point: FailPoint, attempt: number, what: string): void {
    if (behaviour.fail.has(point) && attempt < behaviour.failTimes) throw new KubeError('KUBE_SIM_FAILURE', `${what}: the simulation was told to fail`);
  }

  private emit(type: RuntimeEvent['type'], sandbox: SimSandbox, containerId: string): void {
    if (this.listeners.length === 0) return;
    const event: RuntimeEvent = { type, podUid: sandbox.metadata.uid, sandboxId: sandbox.id, containerId };
    queueMicrotask(() => {
      for (const listener of this.listeners) listener(event);
    });
  }
}

const NONE: Readonly<Record<string, string>> = Object.freeze({});

/** Images that run their arguments as a command. */
const SHELL_IMAGES = /(^|\/)(busybox|alpine|debian|ubuntu|bash)(:|@|$)/;

function planMain(config: ContainerConfig, sandbox: SimSandbox): SimContainer['run'] {
  const command = config.command.length > 0 ? [...config.command, ...config.args] : SHELL_IMAGES.test(config.image) ? config.args : [];
  return command.length === 0 ? undefined : planRun(command, shellEnvironment({ sandbox, config }));
}

function notFound(what: string, id: string): KubeError {
  return new KubeError(RUNTIME_NOT_FOUND, `${what} ${id} not found`);
}
