import type { V1Pod } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';
import { judgeFailure } from './failure-policy.js';
import { IndexSet } from './index-set.js';
import { isIndexed, isPodFailed, jobCondition, setJobCondition, type JobStatusDraft } from './job-facts.js';
import { uidOf, type JobSync } from './job-sync.js';
import { completionIndex, validIndex } from './pod-index.js';

/** Pods that may wait in the status to be counted; keeps it below 20 KB. */
const MAX_UNCOUNTED = 500;

/** What {@link trackPods} does to the world. */
export interface TrackingActions {
  /** Writes the sync's status and takes the answer into it. */
  writeStatus(sync: JobSync): Promise<void>;
  /** The pods to count are in the stored status. */
  listed(): void;
  /** Takes the finalizer off pods; returns the UIDs of those that have lost it. */
  release(pods: readonly V1Pod[]): Promise<{ readonly released: readonly string[]; readonly failure?: unknown }>;
  now(): number;
}

/**
 * Counts terminated pods exactly once, whatever happens in between. First their UIDs are written into the status, then they lose their finalizers, and
 * only then the counters go up and the UIDs away: after a crash a UID in the status whose pod has no finalizer is still to be counted, one whose pod has it is not.
 * The interim condition is written with the UIDs, the final one when all is counted and no pod is terminating. Returns whether the job has come to its end.
 */
export async function trackPods(sync: JobSync, changed: boolean, actions: TrackingActions): Promise<boolean> {
  const tracked = new Set(sync.pods.filter((pod) => sync.isTracked(pod)).map(uidOf));
  const settled = settleUncounted(sync.status, tracked);
  const picked = pickPods(sync);
  const indexes = takeIndexes(sync, picked.indexes);
  const interim = addInterimCondition(sync, actions.now());
  if (changed || settled || picked.changed || indexes || interim) await actions.writeStatus(sync);
  actions.listed();

  const { released, failure } = await actions.release(picked.pods);
  for (const uid of released) tracked.delete(uid);
  const counted = settleUncounted(sync.status, tracked);
  if (failure !== undefined) {
    if (counted) await actions.writeStatus(sync);
    throw failure;
  }
  const ended = !picked.full && end(sync, actions.now());
  if (counted || ended) await actions.writeStatus(sync);
  return ended;
}

/** Counts the listed pods that have no finalizer any more; returns whether there were any. */
function settleUncounted(status: JobStatusDraft, tracked: ReadonlySet<string>): boolean {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods;
  const left = { succeeded: succeeded.filter((uid) => tracked.has(uid)), failed: failed.filter((uid) => tracked.has(uid)) };
  const [succeededNow, failedNow] = [succeeded.length - left.succeeded.length, failed.length - left.failed.length];
  if (succeededNow + failedNow === 0) return false;
  status.succeeded = (status.succeeded ?? 0) + succeededNow;
  status.failed = (status.failed ?? 0) + failedNow;
  status.uncountedTerminatedPods = left;
  return true;
}

interface PickedPods {
  /** Those that can lose their finalizer. */
  readonly pods: readonly V1Pod[];
  /** Indexes that have succeeded. */
  readonly indexes: readonly number[];
  readonly changed: boolean;
  /** There are more than one reconcile takes. */
  readonly full: boolean;
}

/** Picks the pods to count and lists them in the status. */
function pickPods(sync: JobSync): PickedPods {
  const { job } = sync;
  const indexed = isIndexed(job);
  const lists = (sync.status.uncountedTerminatedPods = { succeeded: [...(sync.status.uncountedTerminatedPods.succeeded ?? [])], failed: [...(sync.status.uncountedTerminatedPods.failed ?? [])] });
  const picked: V1Pod[] = [];
  const indexes: number[] = [];
  let changed = false;
  // Lower indexes first, so that the intervals stay few.
  const pods = indexed ? [...sync.pods].sort((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1)) : sync.pods;
  for (const pod of pods) {
    if (!sync.isTracked(pod) || !mayRelease(sync, pod)) continue;
    picked.push(pod);
    const uid = uidOf(pod);
    const index = validIndex(pod, job);
    if (pod.status?.phase === 'Succeeded' && !sync.uncountedFailed.has(uid)) {
      if (indexed) {
        // That the index is listed is enough not to count it again.
        if (index !== undefined && !sync.previousIndexes.has(index)) {
          indexes.push(index);
          changed = true;
        }
      } else if (!sync.uncountedSucceeded.has(uid)) {
        lists.succeeded.push(uid);
        changed = true;
      }
    } else if (countsAsFailed(sync, pod) && !sync.uncountedFailed.has(uid) && (!indexed || index !== undefined)) {
      if (judgeFailure(job.spec?.podFailurePolicy, pod).counts) {
        lists.failed.push(uid);
        changed = true;
      }
    }
    if (indexes.length + lists.succeeded.length + lists.failed.length >= MAX_UNCOUNTED) return { pods: picked, indexes, changed, full: true };
  }
  return { pods: picked, indexes, changed, full: false };
}

/** When the job ends, or the pod has ended and need not wait for a pod that takes its place. */
function mayRelease(sync: JobSync, pod: V1Pod): boolean {
  if (sync.job.metadata?.deletionTimestamp !== undefined || sync.finished || pod.status?.phase === 'Succeeded') return true;
  if (!isPodFailed(pod, sync.job)) return false;
  const index = completionIndex(pod);
  return index === undefined || sync.replaced.get(index)?.metadata?.uid !== pod.metadata?.uid;
}

/** Of a job that fails every pod that has not succeeded is a failed one. */
function countsAsFailed({ job, finished }: JobSync, pod: V1Pod): boolean {
  return isPodFailed(pod, job) || (finished !== undefined && finished.type !== 'SuccessCriteriaMet');
}

/** Writes indexes into the status; returns whether that changed it. */
function takeIndexes(sync: JobSync, newIndexes: readonly number[]): boolean {
  if (!isIndexed(sync.job)) return false;
  const { status } = sync;
  sync.succeededIndexes = sync.succeededIndexes.union(IndexSet.of(newIndexes));
  const completed = sync.succeededIndexes.toString();
  const failed = sync.failedIndexes?.toString();
  const changed = completed !== (status.completedIndexes ?? '') || failed !== status.failedIndexes;
  status.succeeded = sync.succeededIndexes.size;
  status.completedIndexes = completed;
  if (failed === undefined) delete status.failedIndexes;
  else status.failedIndexes = failed;
  return changed;
}

/** Announces how the job will end, and turns the sync's condition into the final one. Returns whether the status changed. */
function addInterimCondition(sync: JobSync, now: number): boolean {
  const interim = sync.finished;
  if (!interim || interim.type === 'Failed') return false;
  sync.finished = jobCondition(interim.type === 'FailureTarget' ? 'Failed' : 'Complete', interim.reason ?? '', interim.message ?? '', now);
  if (findCondition(sync.status.conditions, interim.type)?.status === 'True') return false;
  return setJobCondition(sync.status, interim);
}

/** Adds the final condition once every pod is counted and gone. */
function end(sync: JobSync, now: number): boolean {
  const { finished, status } = sync;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods;
  if (!finished || succeeded.length + failed.length > 0 || sync.terminating > 0) return false;
  const condition = jobCondition(finished.type, finished.reason ?? '', finished.message ?? '', now);
  setJobCondition(status, condition);
  if (finished.type === 'Complete' && condition.lastTransitionTime) status.completionTime = condition.lastTransitionTime;
  return true;
}
