import type { V1Job, V1JobCondition, V1Pod } from '../../api/generated/types.js';
import { isPodActive, isPodReady, isPodTerminating } from '../../api/helpers/pod-state.js';
import type { BackoffRecord } from './backoff.js';
import { continueBackoff } from './backoff.js';
import { judgeFailure } from './failure-policy.js';
import { finishedTime } from './finished-time.js';
import { IndexSet } from './index-set.js';
import { draftStatus, hasTrackingFinalizer, isIndexed, isPodFailed, type JobStatusDraft } from './job-facts.js';
import { allIndexFailures, indexesOf, indexFailures, validIndex } from './pod-index.js';

/**
 * What one reconcile knows of a job: the pods, how many of them count, and the status that it is about to write. A pod counts for certain once it has lost its
 * finalizer; pods that still have it are counted here on top of the status.
 */
export class JobSync {
  /** As the server last gave it; the status under construction is {@link status}. */
  job: V1Job;
  readonly status: JobStatusDraft;
  readonly active: readonly V1Pod[];
  activeCount: number;
  ready: number;
  terminating: number;
  /** Pods in the lists of the status at the beginning, by UID. */
  readonly uncountedSucceeded: ReadonlySet<string>;
  readonly uncountedFailed: ReadonlySet<string>;
  readonly backoff: BackoffRecord;
  succeeded: number;
  readonly failed: number;
  /** Of indexed jobs: as the status has them, and with pods that have succeeded since. */
  readonly previousIndexes: IndexSet = IndexSet.empty;
  succeededIndexes: IndexSet = IndexSet.empty;
  /** Where failures are counted per index. */
  readonly failedIndexes: IndexSet | undefined;
  /** Failed pods that have to stay until their index has a new pod, which takes over the count of failures. */
  readonly replaced: ReadonlyMap<number, V1Pod> = new Map();
  /** How the job is going to end; interim conditions become final ones on the way. */
  finished: V1JobCondition | undefined;

  /**
   * @param expectedRemovals UIDs of pods whose finalizer was taken off, which the informer does not show yet
   */
  constructor(
    job: V1Job,
    readonly pods: readonly V1Pod[],
    private readonly expectedRemovals: ReadonlySet<string>,
    backoff: BackoffRecord | undefined,
  ) {
    this.job = job;
    this.status = draftStatus(job);
    this.active = pods.filter(isPodActive);
    this.activeCount = this.active.length;
    this.ready = this.active.filter(isPodReady).length;
    this.terminating = pods.filter(isPodTerminating).length;
    this.uncountedSucceeded = new Set(this.status.uncountedTerminatedPods.succeeded);
    this.uncountedFailed = new Set(this.status.uncountedTerminatedPods.failed);
    const newSucceeded = pods.filter((pod) => pod.status?.phase === 'Succeeded' && !this.uncountedSucceeded.has(uidOf(pod)) && this.isNews(pod));
    const newFailed = pods.filter((pod) => isPodFailed(pod, job) && !this.uncountedFailed.has(uidOf(pod)) && this.isNews(pod));
    this.succeeded = (this.status.succeeded ?? 0) + newSucceeded.length + this.uncountedSucceeded.size;
    this.failed = (this.status.failed ?? 0) + newFailed.filter((pod) => judgeFailure(job.spec?.podFailurePolicy, pod).counts).length + this.uncountedFailed.size;
    this.backoff = continueBackoff(backoff, newSucceeded, newFailed);
    if (!isIndexed(job)) return;
    const completions = job.spec?.completions ?? 0;
    this.previousIndexes = IndexSet.parse(job.status?.completedIndexes, completions);
    this.succeededIndexes = this.previousIndexes.union(this.indexesWhere((pod) => pod.status?.phase === 'Succeeded'));
    this.succeeded = this.succeededIndexes.size;
    if (job.spec?.backoffLimitPerIndex === undefined) return;
    this.failedIndexes = IndexSet.parse(job.status?.failedIndexes, completions).union(this.indexesWhere((pod) => this.failsIndex(pod)));
    this.replaced = this.podsToReplace();
  }

  /** The pod carries the finalizer, as far as we know: it is not counted for certain. */
  isTracked(pod: V1Pod): boolean {
    return hasTrackingFinalizer(pod) && !this.expectedRemovals.has(uidOf(pod));
  }

  private isNews(pod: V1Pod): boolean {
    return this.isTracked(pod) && (!isIndexed(this.job) || validIndex(pod, this.job) !== undefined);
  }

  /** Indexes of pods with the finalizer; those without have been counted. */
  private indexesWhere(fits: (pod: V1Pod) => boolean): IndexSet {
    const indexes = new Set<number>();
    for (const pod of this.pods) {
      const index = validIndex(pod, this.job);
      if (index !== undefined && hasTrackingFinalizer(pod) && fits(pod)) indexes.add(index);
    }
    return IndexSet.of(indexes);
  }

  private failsIndex(pod: V1Pod): boolean {
    if (!isPodFailed(pod, this.job)) return false;
    const { counts, action } = judgeFailure(this.job.spec?.podFailurePolicy, pod);
    return action === 'FailIndex' || (counts && indexFailures(pod) >= (this.job.spec?.backoffLimitPerIndex ?? 0));
  }

  private podsToReplace(): Map<number, V1Pod> {
    const active = indexesOf(this.active);
    const replaced = new Map<number, V1Pod>();
    for (const pod of this.pods) {
      const index = validIndex(pod, this.job);
      if (index === undefined || !this.isTracked(pod) || !isPodFailed(pod, this.job)) continue;
      if (this.succeededIndexes.has(index) || this.failedIndexes?.has(index) || active.has(index)) continue;
      const other = replaced.get(index);
      if (!other || (allIndexFailures(other) <= allIndexFailures(pod) && finishedTime(pod) >= finishedTime(other))) replaced.set(index, pod);
    }
    return replaced;
  }
}

export function uidOf(pod: V1Pod): string {
  return pod.metadata?.uid ?? '';
}
