import type { V1Deployment, V1DeploymentCondition, V1DeploymentStatus, V1ReplicaSet } from '../../api/generated/types.js';
import { findCondition, withoutCondition } from '../../api/helpers/conditions.js';
import { replaceCondition } from '../shared/conditions.js';
import { omitZero } from '../shared/omit-zero.js';
import { parseTimestamp, timestamp } from '../../api/meta/timestamp.js';
import { maxUnavailable, statusSum, terminatingSum, wantedReplicas } from './rolling-numbers.js';

type Conditions = readonly V1DeploymentCondition[] | undefined;

/** Condition types and the reasons that clients know. */
export const PROGRESSING = 'Progressing';
const AVAILABLE = 'Available';
const REPLICA_FAILURE = 'ReplicaFailure';
export const TIMED_OUT = 'ProgressDeadlineExceeded';
const COMPLETE = 'NewReplicaSetAvailable';
const UNLIMITED = 2 ** 31 - 1;

/** The replica sets of a deployment, the one of its template apart. */
export interface ReplicaSets {
  readonly current: V1ReplicaSet | undefined;
  readonly old: readonly V1ReplicaSet[];
}

export function deploymentCondition(type: string, status: 'True' | 'False' | 'Unknown', reason: string, message: string, now: number): V1DeploymentCondition {
  return { type, status, lastUpdateTime: timestamp(now), lastTransitionTime: timestamp(now), reason, message };
}

/** The deployment has a deadline for progress. */
export function hasDeadline(deployment: V1Deployment): boolean {
  const seconds = deployment.spec?.progressDeadlineSeconds;
  return seconds !== undefined && seconds !== UNLIMITED;
}

/** Numbers and the `Available` condition as the replica sets show them now. `conditions` are the present ones. */
export function deploymentStatus(deployment: V1Deployment, sets: ReplicaSets, conditions: Conditions, collisionCount: number | undefined, now: number): V1DeploymentStatus {
  const all = sets.current ? [...sets.old, sets.current] : sets.old;
  const available = statusSum(all, 'availableReplicas');
  const enough = available >= (deployment.spec?.replicas ?? 0) - maxUnavailable(deployment);
  const condition = enough
    ? deploymentCondition(AVAILABLE, 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', now)
    : deploymentCondition(AVAILABLE, 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.', now);
  const terminating = terminatingSum(all);
  return {
    ...omitZero({
      observedGeneration: deployment.metadata?.generation,
      replicas: statusSum(all, 'replicas'),
      updatedReplicas: sets.current?.status?.replicas,
      readyReplicas: statusSum(all, 'readyReplicas'),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, wantedReplicas(all) - available),
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: replaceCondition(conditions, condition),
  };
}

/** The same during a rollout: with the conditions `Progressing` and `ReplicaFailure` brought up to date. */
export function rolloutStatus(deployment: V1Deployment, sets: ReplicaSets, present: Conditions, collisionCount: number | undefined, now: number): V1DeploymentStatus {
  const status = deploymentStatus(deployment, sets, present, collisionCount, now);
  const conditions = withReplicaFailure(withProgress(deployment, sets.current, status, findCondition(present, PROGRESSING), now), sets);
  return { ...status, conditions };
}

function withProgress(deployment: V1Deployment, current: V1ReplicaSet | undefined, status: V1DeploymentStatus, progress: V1DeploymentCondition | undefined, now: number): Conditions {
  const { conditions } = status;
  if (!hasDeadline(deployment)) return withoutCondition(conditions, PROGRESSING);
  const completeBefore = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && progress?.reason === COMPLETE;
  if (completeBefore) return conditions;
  const subject = current ? `ReplicaSet "${current.metadata?.name ?? ''}"` : `Deployment "${deployment.metadata?.name ?? ''}"`;
  if (isComplete(deployment, status)) {
    return replaceCondition(conditions, deploymentCondition(PROGRESSING, 'True', COMPLETE, `${subject} has successfully progressed.`, now));
  }
  if (hasProgressed(deployment.status, status)) {
    // Each step of progress renews the update time, from which the deadline counts.
    const condition = deploymentCondition(PROGRESSING, 'True', 'ReplicaSetUpdated', `${subject} is progressing.`, now);
    const kept = progress?.status === 'True' && progress.lastTransitionTime ? { ...condition, lastTransitionTime: progress.lastTransitionTime } : condition;
    return replaceCondition(withoutCondition(conditions, PROGRESSING), kept);
  }
  if (isTimedOut(deployment, progress, now)) {
    return replaceCondition(conditions, deploymentCondition(PROGRESSING, 'False', TIMED_OUT, `${subject} has timed out progressing.`, now));
  }
  return conditions;
}

/** All pods are of the current template, available, and nothing else is left. */
export function isComplete(deployment: V1Deployment, status: V1DeploymentStatus | undefined): boolean {
  const replicas = deployment.spec?.replicas ?? 0;
  return (
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata?.generation ?? 0)
  );
}

function hasProgressed(before: V1DeploymentStatus | undefined, after: V1DeploymentStatus): boolean {
  const oldOnes = (status: V1DeploymentStatus | undefined): number => (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    oldOnes(after) < oldOnes(before) ||
    (after.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
  );
}

function isTimedOut(deployment: V1Deployment, progress: V1DeploymentCondition | undefined, now: number): boolean {
  if (!progress || progress.reason === COMPLETE) return false;
  if (progress.reason === TIMED_OUT) return true;
  return (parseTimestamp(progress.lastUpdateTime) ?? 0) + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000 < now;
}

function withReplicaFailure(conditions: Conditions, sets: ReplicaSets): readonly V1DeploymentCondition[] {
  const all = sets.current ? [sets.current, ...sets.old] : sets.old;
  for (const replicaSet of all) {
    const failure = findCondition(replicaSet.status?.conditions, REPLICA_FAILURE);
    if (failure) return replaceCondition(conditions, { ...failure, ...(failure.lastTransitionTime ? { lastUpdateTime: failure.lastTransitionTime } : {}) });
  }
  return withoutCondition(conditions, REPLICA_FAILURE);
}

/** Milliseconds until the deadline has to be looked at; undefined when it need not be. */
export function progressCheckAfter(deployment: V1Deployment, status: V1DeploymentStatus, now: number): number | undefined {
  const progress = findCondition(status.conditions, PROGRESSING);
  if (!hasDeadline(deployment) || !progress || isComplete(deployment, status) || progress.reason === TIMED_OUT || progress.reason === 'DeploymentPaused') return undefined;
  const due = (parseTimestamp(progress.lastUpdateTime) ?? now) + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000;
  return Math.max(0, due - now) + 1000;
}
