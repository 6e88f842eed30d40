import type { V1Container, V1Pod } from '../../api/generated/types.js';
import { isSidecar } from '../../api/helpers/pod-containers.js';
import type { ContainerStatus, ProbeKind } from '../runtime/index.js';
import type { ProbeView } from '../status/container-statuses.js';
import { newestContainer, type PodRuntimeView } from '../status/runtime-view.js';
import { ProbeWorker, type ProbeWorkerContext, type ReportedHealth } from './probe-worker.js';

const KINDS: readonly ProbeKind[] = ['startup', 'readiness', 'liveness'];

/** All probes of one pod. Holds nothing for pods without any. */
export class PodProbes implements ProbeView {
  private workers: readonly ProbeWorker[] = [];
  private made = false;
  private livenessStopped = false;

  constructor(private readonly context: Omit<ProbeWorkerContext, 'isStarted'>) {}

  /** Makes the workers on the first call, and tells them which instances run. */
  observe(pod: V1Pod, view: PodRuntimeView): void {
    if (!this.made) this.make(pod);
    // Startup probes first: the others wait for them.
    for (const worker of this.workers) {
      if (this.livenessStopped && worker.kind !== 'readiness') continue;
      const status = newestContainer(view, worker.container.name);
      worker.observe(status, status && reportedHealth(pod, status.id));
    }
  }

  isStarted(_pod: V1Pod, container: V1Container, status: ContainerStatus): boolean {
    const worker = this.find(container.name, 'startup');
    return !worker || worker.resultOf(status.id) === true;
  }

  isReady(_pod: V1Pod, container: V1Container, status: ContainerStatus): boolean {
    const worker = this.find(container.name, 'readiness');
    if (worker) return worker.resultOf(status.id) === true;
    return container.readinessProbe === undefined && status.ready !== false;
  }

  /** True once a probe says that this instance has to be killed. */
  failed(container: V1Container, containerId: string, kind: 'liveness' | 'startup'): boolean {
    return this.find(container.name, kind)?.resultOf(containerId) === false;
  }

  /** The startup probe has given a verdict, or there is none. */
  knowsStartup(container: V1Container, containerId: string): boolean {
    const worker = this.find(container.name, 'startup');
    return !worker || worker.resultOf(containerId) !== undefined;
  }

  /** The pod is ending: it must not be killed for its health any more. */
  stopLiveness(): void {
    this.livenessStopped = true;
    for (const worker of this.workers) if (worker.kind !== 'readiness') worker.stop();
  }

  stop(): void {
    for (const worker of this.workers) worker.stop();
  }

  private make(pod: V1Pod): void {
    this.made = true;
    const containers = [...(pod.spec?.initContainers ?? []).filter(isSidecar), ...(pod.spec?.containers ?? [])];
    const context: ProbeWorkerContext = {
      ...this.context,
      // Startup workers are told of an instance before the others, so one that knows this id has it.
      isStarted: (id) => this.workers.every((worker) => worker.kind !== 'startup' || worker.instance !== id || worker.result === true),
    };
    const workers: ProbeWorker[] = [];
    for (const kind of KINDS) {
      for (const container of containers) {
        const probe = kind === 'startup' ? container.startupProbe : kind === 'readiness' ? container.readinessProbe : container.livenessProbe;
        if (probe) workers.push(new ProbeWorker(container, kind, probe, context));
      }
    }
    this.workers = workers;
  }

  private find(name: string, kind: ProbeKind): ProbeWorker | undefined {
    for (const worker of this.workers) if (worker.kind === kind && worker.container.name === name) return worker;
    return undefined;
  }
}

/** What the pod's status tells of an instance; undefined when it does not know it. */
function reportedHealth(pod: V1Pod, containerId: string): ReportedHealth | undefined {
  const known = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].find(({ containerID }) => containerID?.endsWith(`://${containerId}`));
  return known && { started: known.started ?? false, ready: known.ready };
}
