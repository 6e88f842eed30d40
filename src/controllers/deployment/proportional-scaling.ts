import type { V1Deployment, V1ReplicaSet } from '../../api/generated/types.js';
import { maxReplicasOf } from './annotations.js';
import { maxSurge, wantedReplicas } from './rolling-numbers.js';

/**
 * New sizes of the active replica sets when a deployment is scaled in the middle of a rollout: the difference is shared out by their
 * sizes, the largest takes what rounding leaves. `active` must be sorted by size, the largest first.
 */
export function proportionalSizes(deployment: V1Deployment, active: readonly V1ReplicaSet[]): number[] {
  const replicas = deployment.spec?.replicas ?? 0;
  const allowed = replicas > 0 ? replicas + maxSurge(deployment) : 0;
  const toAdd = allowed - wantedReplicas(active);
  if (toAdd === 0) return active.map((replicaSet) => replicaSet.spec?.replicas ?? 0);
  let added = 0;
  const sizes = active.map((replicaSet) => {
    const share = proportion(deployment, replicaSet, toAdd, added);
    added += share;
    return (replicaSet.spec?.replicas ?? 0) + share;
  });
  if (sizes.length > 0) sizes[0] = Math.max(0, sizes[0]! + toAdd - added);
  return sizes;
}

function proportion(deployment: V1Deployment, replicaSet: V1ReplicaSet, toAdd: number, added: number): number {
  const size = replicaSet.spec?.replicas ?? 0;
  if (size === 0 || toAdd === added) return 0;
  const fraction = fractionOf(deployment, replicaSet, size);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

function fractionOf(deployment: V1Deployment, replicaSet: V1ReplicaSet, size: number): number {
  const replicas = deployment.spec?.replicas ?? 0;
  if (replicas === 0) return -size;
  const before = maxReplicasOf(replicaSet) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const exact = (size * (replicas + maxSurge(deployment))) / before;
  // Half away from zero, as the API's arithmetic has it.
  return Math.sign(exact) * Math.round(Math.abs(exact)) - size;
}
