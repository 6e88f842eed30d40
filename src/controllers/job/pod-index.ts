import type { V1Job, V1Pod } from '../../api/generated/types.js';
import { judgeFailure } from './failure-policy.js';

/** Annotation and label of a pod: its completion index. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
/** Failures of an index that count, and those that were ignored. */
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
export const INDEX_IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** The completion index of a pod; undefined when it has none that could be one. */
export function completionIndex(pod: V1Pod): number | undefined {
  const text = pod.metadata?.annotations?.[COMPLETION_INDEX];
  return text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** The same, undefined also for an index beyond the job's completions. */
export function validIndex(pod: V1Pod, job: V1Job): number | undefined {
  const index = completionIndex(pod);
  return index !== undefined && index < (job.spec?.completions ?? 0) ? index : undefined;
}

/** The completion indexes of pods. */
export function indexesOf(pods: readonly V1Pod[]): Set<number> {
  const indexes = new Set<number>();
  for (const pod of pods) {
    const index = completionIndex(pod);
    if (index !== undefined) indexes.add(index);
  }
  return indexes;
}

/** Failures of the index that counted before this pod. */
export function indexFailures(pod: V1Pod): number {
  return count(pod, INDEX_FAILURES);
}

/** Failures of the index before this pod, ignored ones too. */
export function allIndexFailures(pod: V1Pod): number {
  return count(pod, INDEX_FAILURES) + count(pod, INDEX_IGNORED_FAILURES);
}

/** Annotations with the failures of an index for the pod that follows `replaced`. */
export function failureAnnotations(job: V1Job, replaced: V1Pod | undefined): Record<string, string> {
  if (!replaced) return { [INDEX_FAILURES]: '0' };
  const { counts } = judgeFailure(job.spec?.podFailurePolicy, replaced);
  const ignored = count(replaced, INDEX_IGNORED_FAILURES) + (counts ? 0 : 1);
  return {
    [INDEX_FAILURES]: String(indexFailures(replaced) + (counts ? 1 : 0)),
    ...(ignored > 0 ? { [INDEX_IGNORED_FAILURES]: String(ignored) } : {}),
  };
}

/** What is no 32-bit count is taken as 0. */
function count(pod: V1Pod, annotation: string): number {
  const text = pod.metadata?.annotations?.[annotation] ?? '';
  const value = /^\+?\d+$/.test(text) ? Number(text) : 0;
  return value < 2 ** 31 ? value : 0;
}
