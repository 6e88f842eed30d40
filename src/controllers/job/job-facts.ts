import type { Draft } from '../../api/draft.js';
import type { V1Job, V1JobCondition, V1JobStatus, V1Pod } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';
import { timestamp } from '../../api/meta/timestamp.js';

/** Finalizer of pods that are not counted in their job's status yet. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
/** The value of `managedBy` that means the controller of this folder. */
const JOB_CONTROLLER_NAME = 'kubernetes.io/job-controller';

/** A status under construction, with the list of pods to count in place. */
export type JobStatusDraft = Draft<V1JobStatus> & { uncountedTerminatedPods: { succeeded?: string[]; failed?: string[] } };

/** `Complete` or `Failed` when the job has come to its end. */
export function finishedType(job: V1Job): 'Complete' | 'Failed' | undefined {
  for (const { type, status } of job.status?.conditions ?? []) if (status === 'True' && (type === 'Complete' || type === 'Failed')) return type;
  return undefined;
}

export function isIndexed(job: V1Job): boolean {
  return job.spec?.completionMode === 'Indexed';
}

export function isSuspended(job: V1Job): boolean {
  return job.spec?.suspend === true;
}

/** A controller of somebody else's takes care of the job. */
export function isManagedElsewhere(job: V1Job): boolean {
  const manager = job.spec?.managedBy;
  return manager !== undefined && manager !== JOB_CONTROLLER_NAME;
}

/** Pods are replaced only once they have failed, not already while they are being deleted. */
export function replacesFailedOnly(job: V1Job): boolean {
  return job.spec?.podReplacementPolicy === 'Failed' || job.spec?.podFailurePolicy !== undefined;
}

export function hasTrackingFinalizer(pod: V1Pod): boolean {
  return pod.metadata?.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

/** Failed, or being deleted where the job does not wait for the end of that: such pods may never get to the phase `Failed`. */
export function isPodFailed(pod: V1Pod, job: V1Job): boolean {
  const phase = pod.status?.phase;
  if (phase === 'Failed') return true;
  return !replacesFailedOnly(job) && pod.metadata?.deletionTimestamp !== undefined && phase !== 'Succeeded';
}

/** A condition that is true as of `now` (milliseconds). */
export function jobCondition(type: string, reason: string, message: string, now: number, status = 'True'): V1JobCondition {
  return { type, status, lastProbeTime: timestamp(now), lastTransitionTime: timestamp(now), reason, message };
}

/**
 * Puts a condition into the status where it is news; returns whether it was. A condition that is not there is not added as
 * false.
 */
export function setJobCondition(status: JobStatusDraft, condition: V1JobCondition): boolean {
  const current = findCondition(status.conditions, condition.type);
  if (current ? current.status === condition.status && current.reason === condition.reason && current.message === condition.message : condition.status === 'False') return false;
  status.conditions = current
    ? status.conditions!.map((other) => (other === current ? condition : other))
    : [...(status.conditions ?? []), condition];
  return true;
}

/** A copy of the job's status to work on. */
export function draftStatus(job: V1Job): JobStatusDraft {
  const { conditions, uncountedTerminatedPods, ...rest } = job.status ?? {};
  return {
    ...rest,
    ...(conditions ? { conditions: [...conditions] } : {}),
    uncountedTerminatedPods: { succeeded: [...(uncountedTerminatedPods?.succeeded ?? [])], failed: [...(uncountedTerminatedPods?.failed ?? [])] },
  };
}

/** The status as it is written: counters of nothing and empty lists are left out, but for those that say that they were counted. */
export function wireStatus(draft: JobStatusDraft): V1JobStatus {
  const { active, succeeded, failed, completedIndexes, uncountedTerminatedPods: uncounted, ...rest } = draft;
  return {
    ...rest,
    ...(active ? { active } : {}),
    ...(succeeded ? { succeeded } : {}),
    ...(failed ? { failed } : {}),
    ...(completedIndexes ? { completedIndexes } : {}),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded?.length ? { succeeded: [...uncounted.succeeded] } : {}),
      ...(uncounted.failed?.length ? { failed: [...uncounted.failed] } : {}),
    },
  };
}
