import type { V1Job, V1JobCondition, V1Pod } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';
import { judgeFailure } from './failure-policy.js';
import { isIndexed, isPodFailed, isSuspended, jobCondition } from './job-facts.js';
import type { JobSync } from './job-sync.js';
import { matchSuccessPolicy } from './success-policy.js';

/**
 * The condition with which a job has to end, before any pod is created for it: what an earlier reconcile has decided, then failures (policy, back-off
 * limit, deadline, failed indexes), then the success policy. Completions are judged after pods were taken care of. Undefined: the job goes on.
 */
export function decideEnd(sync: JobSync, now: number): V1JobCondition | undefined {
  return decidedBefore(sync, now) ?? failure(sync, now) ?? success(sync, now);
}

/** The job has the successes that it asked for, and no pod runs any more. */
export function completed(sync: JobSync, now: number): V1JobCondition | undefined {
  const completions = sync.job.spec?.completions;
  const enough = completions === undefined || completions === null ? sync.succeeded > 0 : sync.succeeded >= completions;
  if (!enough || sync.activeCount > 0) return undefined;
  return jobCondition('SuccessCriteriaMet', 'CompletionsReached', 'Reached expected number of succeeded pods', now);
}

/** Milliseconds until the job's deadline; undefined when it has none or its time does not run. */
export function deadlineLeft(job: V1Job, startTime: string | undefined, now: number): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  const start = parseTimestamp(startTime);
  if (seconds === undefined || start === undefined || isSuspended(job)) return undefined;
  return start + seconds * 1000 - now;
}

function decidedBefore({ job }: JobSync, now: number): V1JobCondition | undefined {
  const success = findCondition(job.status?.conditions, 'SuccessCriteriaMet');
  if (success?.status === 'True') return success;
  const failed = findCondition(job.status?.conditions, 'FailureTarget');
  return failed?.status === 'True' ? jobCondition('Failed', failed.reason ?? '', failed.message ?? '', now) : undefined;
}

function failure(sync: JobSync, now: number): V1JobCondition | undefined {
  const { job, pods, failedIndexes } = sync;
  const spec = job.spec;
  const fail = (reason: string, message: string): V1JobCondition => jobCondition('FailureTarget', reason, message, now);
  const byPolicy = policyMessage(job, pods);
  if (byPolicy !== undefined) return fail('PodFailurePolicy', byPolicy);
  const limit = spec?.backoffLimit ?? 6;
  if (sync.failed > limit || tooManyRestarts(job, pods, limit)) return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  const left = deadlineLeft(job, sync.status.startTime, now);
  if (left !== undefined && left <= 0) return fail('DeadlineExceeded', 'Job was active longer than specified deadline');
  if (!failedIndexes || failedIndexes.size === 0) return undefined;
  if (spec?.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes) return fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  return failedIndexes.size + sync.succeededIndexes.size >= (spec?.completions ?? 0) ? fail('FailedIndexes', 'Job has failed indexes') : undefined;
}

function success({ job, succeededIndexes }: JobSync, now: number): V1JobCondition | undefined {
  if (!isIndexed(job)) return undefined;
  const message = matchSuccessPolicy(job.spec?.successPolicy, job.spec?.completions ?? 0, succeededIndexes);
  return message === undefined ? undefined : jobCondition('SuccessCriteriaMet', 'SuccessPolicy', message, now);
}

function policyMessage(job: V1Job, pods: readonly V1Pod[]): string | undefined {
  const policy = job.spec?.podFailurePolicy;
  if (!policy) return undefined;
  for (const pod of pods) {
    const message = isPodFailed(pod, job) ? judgeFailure(policy, pod).jobMessage : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Of pods that restart their containers it is the restarts that count. */
function tooManyRestarts(job: V1Job, pods: readonly V1Pod[], limit: number): boolean {
  if (job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const container of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) restarts += container.restartCount;
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}
