import type { V1Pod, V1StatefulSet, V1StatefulSetStatus } from '../../api/generated/types.js';
import { isPodAvailable, isPodReady } from '../../api/helpers/pod-state.js';
import { omitZero } from '../shared/omit-zero.js';
import { isCreated, podRevision } from './identity.js';

/** The revisions that a set is between. */
export interface SetRevisions {
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number;
}

/** Counts as they are during a reconcile. */
export interface SetCounts {
  replicas: number;
  ready: number;
  available: number;
  current: number;
  updated: number;
}

export function isRunningAndReady(pod: V1Pod): boolean {
  return pod.status?.phase === 'Running' && isPodReady(pod);
}

/** Counts pods, those still to be created left out. */
export function countPods(pods: readonly V1Pod[], set: V1StatefulSet, revisions: SetRevisions, now: number): SetCounts {
  const counts: SetCounts = { replicas: 0, ready: 0, available: 0, current: 0, updated: 0 };
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  for (const pod of pods) {
    if (!isCreated(pod)) continue;
    counts.replicas += 1;
    if (isRunningAndReady(pod)) {
      counts.ready += 1;
      if (isPodAvailable(pod, minReadySeconds, now)) counts.available += 1;
    }
    if (pod.metadata?.deletionTimestamp) continue;
    if (podRevision(pod) === revisions.current) counts.current += 1;
    if (podRevision(pod) === revisions.update) counts.updated += 1;
  }
  return counts;
}

/** The status for these counts; a rolling update whose pods are all updated and ready is complete. */
export function setStatus(set: V1StatefulSet, counts: SetCounts, revisions: SetRevisions): V1StatefulSetStatus {
  const wanted = set.spec?.replicas ?? 0;
  const complete = set.spec?.updateStrategy?.type === 'RollingUpdate' && counts.updated === wanted && counts.ready === wanted && counts.replicas === wanted;
  return {
    ...omitZero({
      observedGeneration: set.metadata?.generation,
      readyReplicas: counts.ready,
      currentReplicas: complete ? counts.updated : counts.current,
      updatedReplicas: counts.updated,
      currentRevision: complete ? revisions.update : revisions.current,
      updateRevision: revisions.update,
    }),
    replicas: counts.replicas,
    availableReplicas: counts.available,
    collisionCount: revisions.collisionCount,
    ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
  };
}
