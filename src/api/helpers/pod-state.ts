import type { V1ContainerStatus, V1Pod, V1PodCondition, V1PodStatus } from '../generated/types.js';
import { findCondition } from './conditions.js';

/** Condition types of pods. */
export const POD_READY = 'Ready';
export const POD_SCHEDULED = 'PodScheduled';
export const POD_INITIALIZED = 'Initialized';
export const CONTAINERS_READY = 'ContainersReady';
export const DISRUPTION_TARGET = 'DisruptionTarget';

export function podCondition(pod: V1Pod, type: string): V1PodCondition | undefined {
  return findCondition(pod.status?.conditions, type);
}

/** True when the Ready condition is True. */
export function isPodReady(pod: V1Pod): boolean {
  return podCondition(pod, POD_READY)?.status === 'True';
}

/** True when the pod has been ready for `minReadySeconds`. `now` in milliseconds. */
export function isPodAvailable(pod: V1Pod, minReadySeconds: number, now: number): boolean {
  const ready = podCondition(pod, POD_READY);
  if (ready?.status !== 'True') return false;
  if (minReadySeconds === 0) return true;
  return ready.lastTransitionTime !== undefined && Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000 <= now;
}

/** Succeeded or Failed: it will never run again. */
export function isPodTerminal(pod: V1Pod): boolean {
  const phase = pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Neither terminal nor being deleted: the pods that controllers count. */
export function isPodActive(pod: V1Pod): boolean {
  return pod.metadata?.deletionTimestamp === undefined && !isPodTerminal(pod);
}

/** Being deleted and not terminal yet. */
export function isPodTerminating(pod: V1Pod): boolean {
  return pod.metadata?.deletionTimestamp !== undefined && !isPodTerminal(pod);
}

/** A pod that mirrors a static one of its node. */
export function isMirrorPod(pod: V1Pod): boolean {
  return pod.metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined;
}

/** The status of a container of any list, by name. */
export function containerStatus(status: V1PodStatus | undefined, name: string): V1ContainerStatus | undefined {
  for (const list of [status?.containerStatuses, status?.initContainerStatuses, status?.ephemeralContainerStatuses]) {
    const found = list?.find((item) => item.name === name);
    if (found) return found;
  }
  return undefined;
}
