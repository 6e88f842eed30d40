import type { V1Deployment, V1ReplicaSet } from '../../api/generated/types.js';
import { scaledValue } from '../shared/int-or-percent.js';

/** True for the strategy `RollingUpdate`. */
export function isRollingUpdate(deployment: V1Deployment): boolean {
  return deployment.spec?.strategy?.type === 'RollingUpdate';
}

/** Pods that may exist beyond the wanted number: a share is rounded up. */
export function maxSurge(deployment: V1Deployment): number {
  return isRollingUpdate(deployment) ? scaledValue(deployment.spec?.strategy?.rollingUpdate?.maxSurge, deployment.spec?.replicas ?? 0, true) : 0;
}

/** Pods that may be missing: a share is rounded down, and 1 is taken when nothing could move otherwise. */
export function maxUnavailable(deployment: V1Deployment): number {
  const replicas = deployment.spec?.replicas ?? 0;
  if (!isRollingUpdate(deployment) || replicas === 0) return 0;
  const unavailable = scaledValue(deployment.spec?.strategy?.rollingUpdate?.maxUnavailable, replicas, false);
  if (unavailable === 0 && maxSurge(deployment) === 0) return 1;
  return Math.min(unavailable, replicas);
}

/** The size that the current replica set may grow to now. */
export function nextCurrentSize(deployment: V1Deployment, all: readonly V1ReplicaSet[], currentSize: number): number {
  const replicas = deployment.spec?.replicas ?? 0;
  if (!isRollingUpdate(deployment)) return replicas;
  const room = replicas + maxSurge(deployment) - wantedReplicas(all);
  if (room <= 0) return currentSize;
  return currentSize + Math.min(room, replicas - currentSize);
}

/** Sum of `spec.replicas`. */
export function wantedReplicas(replicaSets: readonly V1ReplicaSet[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + (replicaSet.spec?.replicas ?? 0), 0);
}

/** Sum of a number of the statuses. */
export function statusSum(replicaSets: readonly V1ReplicaSet[], field: 'replicas' | 'readyReplicas' | 'availableReplicas'): number {
  return replicaSets.reduce((sum, replicaSet) => sum + (replicaSet.status?.[field] ?? 0), 0);
}

/** Sum of terminating pods; undefined when one replica set that was observed does not tell. */
export function terminatingSum(replicaSets: readonly V1ReplicaSet[]): number | undefined {
  let sum = 0;
  for (const { status } of replicaSets) {
    if (status?.terminatingReplicas !== undefined) sum += status.terminatingReplicas;
    else if (status?.observedGeneration) return undefined;
  }
  return sum;
}
