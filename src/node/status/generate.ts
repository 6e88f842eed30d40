import type { V1Container, V1Pod, V1PodCondition, V1PodStatus, V1ResourceRequirements } from '../../api/generated/types.js';
import { findCondition, withCondition } from '../../api/helpers/conditions.js';
import { computeQosClass } from '../../api/helpers/pod-qos.js';
import { podLimitQuantities, podRequestQuantities } from '../../api/helpers/pod-resources.js';
import type { Quantity } from '../../api/quantity.js';
import type { ContainerStatus } from '../runtime/index.js';
import { AGENT_CONDITIONS, podConditions, withTransitionTimes } from './conditions.js';
import { containerStatuses, type ProbeView, type WaitingReason } from './container-statuses.js';
import { podPhase } from './phase.js';
import { couldRestartAll, restartsAll } from './restart-rules.js';
import { activeContainer, type PodRuntimeView } from './runtime-view.js';
import { timestamp } from '../../api/meta/timestamp.js';

export interface StatusInput {
  readonly pod: V1Pod;
  /** The last status that was generated, or the pod's own. */
  readonly previous: V1PodStatus | undefined;
  readonly view: PodRuntimeView;
  readonly runtimeName: string;
  readonly hostIps: readonly string[];
  readonly reasons: ReadonlyMap<string, WaitingReason>;
  readonly probes: ProbeView;
  /** The pod will not run again, whatever its policy. */
  readonly ending: boolean;
  /** Ends the pod as failed: deadline exceeded, evicted. With `disruption` the condition `DisruptionTarget` tells why. */
  readonly eviction?: { readonly reason: string; readonly message: string; readonly disruption?: boolean } | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What running containers have; default: what the spec says. */
  readonly actuated?: (status: ContainerStatus) => V1ResourceRequirements;
  /** How far a change of resources is; default: as before. */
  readonly resize?: readonly V1PodCondition[];
  /** From {@link podResources} of this pod. */
  readonly resources: PodResources;
}

/** The part of a status that follows from the spec alone. */
export type PodResources = Pick<V1PodStatus, 'resources' | 'allocatedResources'>;

/** The status of a pod, complete, from what the runtime knows and what was reported before. */
export function generateStatus(input: StatusInput): V1PodStatus {
  const { pod, view, previous, eviction } = input;
  const spec = pod.spec!;
  const restartingAll = couldRestartAll(spec) && (restartsAll(pod, view) || (isTrue(previous, 'AllContainersRestarting') && view.containers.length > 0));
  const containers = { ...input, restartingAll };
  const regular = containerStatuses(containers, spec.containers, 'regular', previous?.containerStatuses);
  const init = spec.initContainers?.length ? containerStatuses(containers, spec.initContainers, 'init', previous?.initContainerStatuses) : undefined;
  const ephemeral = spec.ephemeralContainers?.length
    ? containerStatuses(containers, spec.ephemeralContainers as readonly V1Container[], 'ephemeral', previous?.ephemeralContainerStatuses)
    : undefined;
  const statuses = init ? [...init, ...regular] : regular;
  let phase: string = podPhase({ spec, statuses, ending: input.ending, initialized: spec.containers.some(({ name }) => activeContainer(view, name)) });
  // A phase that is final stays.
  if (phase !== 'Failed' && phase !== 'Succeeded') phase = final(previous?.phase) ?? final(pod.status?.phase) ?? phase;
  phase = final(pod.status?.phase) ?? phase;
  let reason = phase === previous?.phase ? (previous.reason ?? pod.status?.reason) : undefined;
  let message = phase === previous?.phase ? (previous.message ?? pod.status?.message) : undefined;
  if (eviction) ({ reason, message } = eviction);
  if (eviction) phase = 'Failed';

  const foreign = (pod.status?.conditions ?? []).filter((condition) => !AGENT_CONDITIONS.includes(condition.type));
  const disruption = findCondition(previous?.conditions, 'DisruptionTarget');
  const others = withDisruption(disruption ? withCondition(foreign, disruption) : foreign, input);
  const own = podConditions({
    pod, statuses, phase, restartingAll, sandboxReady: view.readySandbox !== undefined, foreign: others, wasInitialized: isTrue(previous, 'Initialized'),
  });
  const resize = input.resize ?? (previous?.conditions ?? []).filter((condition) => condition.type === 'PodResizePending' || condition.type === 'PodResizeInProgress');
  const startTime = previous?.startTime ?? pod.status?.startTime ?? timestamp(input.now);
  return {
    phase,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(pod.metadata?.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    conditions: [...others, ...resize, ...withTransitionTimes(own, previous ?? pod.status, timestamp(input.now))],
    ...addresses(input),
    startTime,
    qosClass: pod.status?.qosClass ?? computeQosClass(spec),
    containerStatuses: regular,
    ...(init ? { initContainerStatuses: init } : {}),
    ...(ephemeral ? { ephemeralContainerStatuses: ephemeral } : {}),
    ...input.resources,
  };
}

function withDisruption(conditions: readonly V1PodCondition[], { eviction, pod, now }: StatusInput): readonly V1PodCondition[] {
  if (!eviction?.disruption) return conditions;
  const observedGeneration = pod.metadata?.generation;
  return withCondition(conditions, {
    type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: eviction.message, lastTransitionTime: timestamp(now), ...(observedGeneration === undefined ? {} : { observedGeneration }),
  });
}

function final(phase: string | undefined): string | undefined {
  return phase === 'Failed' || phase === 'Succeeded' ? phase : undefined;
}

function isTrue(status: V1PodStatus | undefined, type: string): boolean {
  return findCondition(status?.conditions, type)?.status === 'True';
}

function addresses({ pod, view, hostIps, previous }: StatusInput): Partial<V1PodStatus> {
  const sandbox = view.readySandbox ?? view.sandboxes[0];
  let podIps = pod.spec?.hostNetwork ? hostIps : (view.readySandbox?.ips ?? []);
  // A sandbox that was stopped gave its address back, but the status of a pod that has ended keeps it.
  if (podIps.length === 0 && sandbox && !view.readySandbox) podIps = previous?.podIPs?.map(({ ip }) => ip ?? '') ?? [];
  return {
    ...(hostIps.length > 0 ? { hostIP: hostIps[0]!, hostIPs: hostIps.map((ip) => ({ ip })) } : {}),
    ...(podIps.length > 0 ? { podIP: podIps[0]!, podIPs: podIps.map((ip) => ({ ip })) } : {}),
  };
}

/** What a pod requests and is limited to as a whole. */
export function podResources(pod: V1Pod): PodResources {
  const text = (amounts: ReadonlyMap<string, Quantity>): Record<string, string> | undefined =>
    amounts.size === 0 ? undefined : Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
  const requests = text(podRequestQuantities(pod));
  const limits = text(podLimitQuantities(pod));
  return {
    resources: { ...(limits ? { limits } : {}), ...(requests ? { requests } : {}) },
    ...(requests ? { allocatedResources: requests } : {}),
  };
}
