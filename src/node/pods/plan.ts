import type { V1Container, V1Pod } from '../../api/generated/types.js';
import { isSidecar } from '../../api/helpers/pod-containers.js';
import type { ContainerStatus } from '../runtime/index.js';
import type { PodProbes } from '../probes/pod-probes.js';
import { restartsAfter, shouldStart } from '../status/restart-rules.js';
import { newestContainer, type PodRuntimeView } from '../status/runtime-view.js';
import { specHash } from './spec-hash.js';

/** Why a container is killed; it decides the grace period. */
export type KillReason = 'liveness' | 'startup' | 'other';

export interface KillAction {
  readonly status: ContainerStatus;
  readonly container: V1Container;
  readonly message: string;
  readonly reason: KillReason;
}

/** What has to be done to bring a pod to its wanted state, in this order. */
export interface PodPlan {
  /** Everything that still runs in it ends, with the sandbox. */
  readonly killPod: boolean;
  readonly kill: readonly KillAction[];
  /** Containers that are removed without a trace, so that all begin anew. */
  readonly reset: readonly ContainerStatus[];
  readonly createSandbox: boolean;
  /** Attempt of the sandbox to make. */
  readonly attempt: number;
  /** Ephemeral, init, regular. */
  readonly start: readonly V1Container[];
}

type Health = Pick<PodProbes, 'failed' | 'knowsStartup'>;

const NONE: ReadonlySet<string> = new Set();

/** Decides from the spec, what the runtime knows, and the probes. `resized` are ids of containers that have to begin anew with other resources. */
export function planPod(pod: V1Pod, view: PodRuntimeView, probes: Health, restartingAll: boolean, resized: ReadonlySet<string> = NONE): PodPlan {
  const spec = pod.spec!;
  const newest = view.sandboxes[0];
  const attempt = newest ? newest.metadata.attempt + 1 : 0;
  const nothing: PodPlan = { killPod: false, kill: [], reset: [], createSandbox: false, attempt, start: [] };
  if (restartingAll && view.containers.length > 0) return { ...nothing, reset: view.containers };
  if (!view.readySandbox) return { ...nothing, killPod: true, ...planSandbox(pod, view, attempt) };

  const ephemeral = ((spec.ephemeralContainers ?? []) as readonly V1Container[]).filter((container) => !newestContainer(view, container.name));
  const init = planInit(pod, view, probes, resized);
  if (init.failed) return { ...nothing, killPod: true };
  if (!init.through) return { ...nothing, kill: init.kill, start: [...ephemeral, ...init.start] };
  const kill: KillAction[] = [...init.kill];
  const start: V1Container[] = [];
  let kept = 0;
  for (const container of spec.containers) {
    const status = newestContainer(view, container.name);
    if (!status || status.state !== 'running') {
      if (shouldStart(container, pod, view)) start.push(container);
      continue;
    }
    const why = unfit(container, status, probes);
    if (!why && resized.has(status.id)) {
      kill.push({ status, container, reason: 'other', message: `Container ${container.name} resize requires restart` });
      start.push(container);
      continue;
    }
    if (!why) {
      kept++;
      continue;
    }
    const restart = why.changed || (container.restartPolicy ?? spec.restartPolicy) !== 'Never';
    if (restart) start.push(container);
    kill.push({ status, container, reason: why.reason, message: `Container ${container.name} ${why.text}${restart ? ', will be restarted' : ''}` });
  }
  if (kept === 0 && start.length === 0) return { ...nothing, killPod: true };
  return { ...nothing, kill, start: [...ephemeral, ...init.start, ...start] };
}

function unfit(container: V1Container, status: ContainerStatus, probes: Health): { readonly text: string; readonly reason: KillReason; readonly changed: boolean } | undefined {
  if (status.specHash !== specHash(container)) return { text: 'definition changed', reason: 'other', changed: true };
  if (probes.failed(container, status.id, 'liveness')) return { text: 'failed liveness probe', reason: 'liveness', changed: false };
  if (probes.failed(container, status.id, 'startup')) return { text: 'failed startup probe', reason: 'startup', changed: false };
  return undefined;
}

function planSandbox(pod: V1Pod, view: PodRuntimeView, attempt: number): Partial<PodPlan> {
  const spec = pod.spec!;
  const restartable = spec.containers.some((container) => (container.restartPolicy ?? spec.restartPolicy) !== 'Never');
  if (!restartable && attempt > 0 && view.containers.length > 0) return {};
  const start = spec.containers.filter((container) => {
    const status = newestContainer(view, container.name);
    const once = (container.restartPolicy ?? spec.restartPolicy) === 'OnFailure';
    return !(once && status?.state === 'exited' && status.exitCode === 0);
  });
  if (start.length === 0 && spec.containers.some(({ name }) => newestContainer(view, name))) return {};
  const first = spec.initContainers?.[0];
  return { createSandbox: true, start: first ? [first] : start };
}

interface InitPlan {
  /** Regular containers may run. */
  through: boolean;
  failed: boolean;
  readonly kill: KillAction[];
  readonly start: V1Container[];
}

/**
 * Init containers run one after the other; the next one begins when the one before succeeded, or when a sidecar has started.
 * Finished ones may have been cleaned up, so the last one that left a trace tells how far the pod is.
 */
function planInit(pod: V1Pod, view: PodRuntimeView, probes: Health, resized: ReadonlySet<string>): InitPlan {
  const containers = pod.spec!.initContainers ?? [];
  const plan: InitPlan = { through: containers.length === 0, failed: false, kill: [], start: [] };
  if (plan.through) return plan;
  const inSandbox = (name: string): ContainerStatus | undefined => {
    const status = newestContainer(view, name);
    return status?.sandboxId === view.readySandbox?.id ? status : undefined;
  };
  const begun = pod.spec!.containers.some(({ name }) => {
    const state = inSandbox(name)?.state;
    return state === 'running' || state === 'created' || state === 'exited';
  });
  let front = -1;
  containers.forEach((container, index) => {
    if (inSandbox(container.name)) front = index;
  });
  if (begun) front = containers.length - 1;
  plan.through = begun;
  for (let index = 0; index <= front; index++) {
    const container = containers[index]!;
    const status = inSandbox(container.name);
    const atFront = index === front && !begun;
    if (isSidecar(container)) {
      const started = planSidecar(plan, container, status, probes, resized);
      if (atFront && started) advance(plan, containers, index);
    } else if (atFront) planOneInit(plan, pod, containers, index, status!);
  }
  if (front < 0) plan.start.push(containers[0]!);
  return plan;
}

function advance(plan: InitPlan, containers: readonly V1Container[], index: number): void {
  const next = containers[index + 1];
  if (next) plan.start.push(next);
  else plan.through = true;
}

/** True when the sidecar has started, so that what follows it may begin. */
function planSidecar(plan: InitPlan, container: V1Container, status: ContainerStatus | undefined, probes: Health, resized: ReadonlySet<string>): boolean {
  if (!status || status.state !== 'running') {
    plan.start.push(container);
    return false;
  }
  const why = unfit(container, status, probes);
  if (why) {
    plan.kill.push({ status, container, reason: why.reason, message: `Init container ${container.name} ${why.text}` });
    plan.start.push(container);
    return false;
  }
  if (resized.has(status.id)) {
    plan.kill.push({ status, container, reason: 'other', message: `Container ${container.name} resize requires restart` });
    plan.start.push(container);
    return false;
  }
  return probes.knowsStartup(container, status.id);
}

function planOneInit(plan: InitPlan, pod: V1Pod, containers: readonly V1Container[], index: number, status: ContainerStatus): void {
  const container = containers[index]!;
  if (status.state === 'running') return;
  if (status.state !== 'exited') plan.start.push(container);
  else if (status.exitCode === 0) advance(plan, containers, index);
  else if (restartsAfter(container, pod.spec!, status.exitCode)) plan.start.push(container);
  else plan.failed = true;
}
