import type { V1Pod, V1ReplicaSet } from '../../api/generated/types.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import { desiredReplicasOf } from './annotations.js';
import { isComplete } from './progress.js';
import { proportionalSizes } from './proportional-scaling.js';
import { activeOnes, activeOrLatest, byAge, bySize } from './replica-sets.js';
import { isRollingUpdate, maxSurge, maxUnavailable, nextCurrentSize, statusSum, wantedReplicas } from './rolling-numbers.js';
import type { Rollout } from './rollout.js';

/** The deployment's size was changed since its replica sets were last scaled. */
export function isScaling(rollout: Rollout): boolean {
  return activeOnes(rollout.all).some((replicaSet) => {
    const desired = desiredReplicasOf(replicaSet);
    return desired !== undefined && desired !== (rollout.deployment.spec?.replicas ?? 0);
  });
}

/** Applies a new size without rolling anything out: also what happens while a deployment is paused. */
export async function scaleOnly(rollout: Rollout): Promise<void> {
  const { deployment } = rollout;
  const replicas = deployment.spec?.replicas ?? 0;
  const only = activeOrLatest(rollout.current, rollout.old);
  if (only) {
    if ((only.spec?.replicas ?? 0) !== replicas) await rollout.scale(only, replicas);
    return;
  }
  if (isSaturated(rollout)) {
    for (const replicaSet of activeOnes(rollout.old)) await rollout.scale(replicaSet, 0);
    return;
  }
  if (!isRollingUpdate(deployment)) return;
  const active = activeOnes(rollout.all);
  const allowed = replicas > 0 ? replicas + maxSurge(deployment) : 0;
  active.sort(bySize(allowed > wantedReplicas(active)));
  const sizes = proportionalSizes(deployment, active);
  for (const [i, replicaSet] of active.entries()) await rollout.scale(replicaSet, sizes[i]!, true);
}

/** The current replica set has all the pods, and they are available. */
function isSaturated({ current, deployment }: Rollout): boolean {
  const replicas = deployment.spec?.replicas ?? 0;
  return current !== undefined && (current.spec?.replicas ?? 0) === replicas && desiredReplicasOf(current) === replicas && (current.status?.availableReplicas ?? 0) === replicas;
}

/** One step of a rolling update: grow the current replica set, or else shrink the old ones, within the limits of surge and availability. */
export async function rollForward(rollout: Rollout): Promise<void> {
  await rollout.syncCurrent(true);
  if (await growCurrent(rollout)) return;
  if (await shrinkOld(rollout)) return;
  if (isComplete(rollout.deployment, rollout.deployment.status)) await rollout.cleanUp();
}

async function growCurrent(rollout: Rollout): Promise<boolean> {
  const { current, deployment, all } = rollout;
  if (!current) return false;
  const size = current.spec?.replicas ?? 0;
  const replicas = deployment.spec?.replicas ?? 0;
  if (size === replicas) return false;
  return rollout.scale(current, size > replicas ? replicas : nextCurrentSize(deployment, all, size));
}

async function shrinkOld(rollout: Rollout): Promise<boolean> {
  const { deployment, current } = rollout;
  if (wantedReplicas(rollout.old) === 0) return false;
  const minAvailable = (deployment.spec?.replicas ?? 0) - maxUnavailable(deployment);
  const currentUnavailable = (current?.spec?.replicas ?? 0) - (current?.status?.availableReplicas ?? 0);
  // Pods of the current template that are not available may become so; the old ones must last until then.
  const most = wantedReplicas(rollout.all) - minAvailable - currentUnavailable;
  if (most <= 0) return false;
  const unhealthy = await shrink(rollout, most, (replicaSet) => (replicaSet.spec?.replicas ?? 0) - (replicaSet.status?.availableReplicas ?? 0));
  const surplus = statusSum(rollout.all, 'availableReplicas') - minAvailable;
  const healthy = surplus > 0 ? await shrink(rollout, surplus, (replicaSet) => replicaSet.spec?.replicas ?? 0) : 0;
  return unhealthy + healthy > 0;
}

/** Takes up to `most` pods off the old replica sets, the oldest first, from each no more than `share` says. */
async function shrink(rollout: Rollout, most: number, share: (replicaSet: V1ReplicaSet) => number): Promise<number> {
  let taken = 0;
  for (const replicaSet of activeOnes(rollout.old).sort(byAge)) {
    if (taken >= most) break;
    const size = replicaSet.spec?.replicas ?? 0;
    const less = Math.min(most - taken, share(replicaSet), size);
    if (less <= 0) continue;
    await rollout.scale(replicaSet, size - less);
    taken += less;
  }
  return taken;
}

/** One step of the strategy `Recreate`: all old pods must have gone before the first new one. `podsOf` gives the pods of a replica set. */
export async function recreate(rollout: Rollout, podsOf: (replicaSet: V1ReplicaSet) => readonly V1Pod[]): Promise<void> {
  await rollout.syncCurrent(false);
  let scaledDown = false;
  for (const replicaSet of activeOnes(rollout.old)) scaledDown = (await rollout.scale(replicaSet, 0)) || scaledDown;
  if (scaledDown || oldPodsLeft(rollout, podsOf)) return;
  await rollout.syncCurrent(true);
  if (rollout.current) await rollout.scale(rollout.current, rollout.deployment.spec?.replicas ?? 0);
  if (isComplete(rollout.deployment, rollout.deployment.status)) await rollout.cleanUp();
}

function oldPodsLeft(rollout: Rollout, podsOf: (replicaSet: V1ReplicaSet) => readonly V1Pod[]): boolean {
  if (statusSum(rollout.old, 'replicas') > 0) return true;
  return rollout.old.some((replicaSet) => podsOf(replicaSet).some((pod) => !isPodTerminal(pod)));
}
