import type { V1Job, V1Pod } from '../../api/generated/types.js';
import { controllerReference } from '../../api/helpers/owner-references.js';
import { isPodReady, isPodTerminating } from '../../api/helpers/pod-state.js';
import { StatusError } from '../../api/status-error.js';
import type { Expectations } from '../shared/expectations.js';
import { keyOf } from '../shared/object-key.js';
import { isNamespaceTerminating, type PodControl } from '../shared/pod-control.js';
import { slowStart } from '../shared/slow-start.js';
import { backoffLeft } from './backoff.js';
import { finishedTime } from './finished-time.js';
import { IndexSet } from './index-set.js';
import { hasTrackingFinalizer, isIndexed, isSuspended, replacesFailedOnly, TRACKING_FINALIZER } from './job-facts.js';
import type { JobSync } from './job-sync.js';
import { allIndexFailures, indexesOf } from './pod-index.js';
import { indexPodNamePrefix, indexPodTemplate, jobPodTemplate } from './pod-template.js';
import { podsToRemove } from './pods-to-remove.js';

/** Pods created or deleted in one reconcile. */
const MAX_PER_SYNC = 500;
/** A strategic merge patch that takes the finalizer off. */
const WITHOUT_FINALIZER = { metadata: { '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } };

/** What became of the pods. */
export interface PodManagement {
  /** What went wrong, if anything did. */
  readonly failure?: unknown;
  /** Milliseconds after which pods may be created that have to wait. */
  readonly retryAfter?: number;
}

/** Creates and deletes the pods of jobs. The counts of the {@link JobSync} follow. */
export class PodManager {
  constructor(
    private readonly control: PodControl,
    private readonly expectations: Expectations,
  ) {}

  /** Deletes and creates pods until as many are active as the job wants; one reconcile does only one of the two. */
  async manage(key: string, sync: JobSync, now: number): Promise<PodManagement> {
    const { job } = sync;
    const wanted = isSuspended(job) ? 0 : wantedActive(sync);
    const surplus = podsToRemove(job, sync.active, Math.max(0, sync.activeCount - wanted));
    if (surplus.length > 0) return { failure: await this.remove(key, sync, isSuspended(job) ? surplus : surplus.slice(0, MAX_PER_SYNC)) };
    if (isSuspended(job)) return {};
    const missing = wanted - sync.activeCount - (replacesFailedOnly(job) ? sync.terminating : 0);
    return missing > 0 ? this.create(key, sync, Math.min(missing, MAX_PER_SYNC), now) : {};
  }

  /** Deletes all active pods of a job that ends. They keep their finalizers until they are counted. Returns whether all are on their way. */
  async removeActive(sync: JobSync): Promise<{ readonly complete: boolean; readonly failure?: unknown }> {
    let failure: unknown;
    let deleted = 0;
    await Promise.all(sync.active.map(async (pod) => {
      try {
        await this.deletePod(sync.job, pod);
        deleted += 1;
        if (isPodReady(pod)) sync.ready -= 1;
      } catch (error) {
        failure ??= error;
      }
    }));
    sync.activeCount -= deleted;
    sync.terminating += deleted;
    return { complete: deleted === sync.active.length, ...(failure === undefined ? {} : { failure }) };
  }

  /** Takes the finalizer off; false: the pod is gone already, or never had it. */
  async release(pod: V1Pod): Promise<boolean> {
    if (!hasTrackingFinalizer(pod)) return false;
    try {
      await this.control.pods.patch(pod.metadata?.namespace ?? '', pod.metadata?.name ?? '', 'strategic', WITHOUT_FINALIZER);
      return true;
    } catch (error) {
      if (!StatusError.is(error, 'NotFound')) throw error;
      return false;
    }
  }

  /** Deletes pods that shall not count. */
  private async remove(key: string, sync: JobSync, pods: readonly V1Pod[]): Promise<unknown> {
    this.expectations.expectDeletions(key, pods.map(keyOf));
    let failure: unknown;
    await Promise.all(pods.map(async (pod) => {
      try {
        await this.release(pod);
        if (!(await this.deletePod(sync.job, pod))) this.expectations.deletionObserved(key, keyOf(pod));
        sync.activeCount -= 1;
        sync.terminating += 1;
        if (isPodReady(pod)) sync.ready -= 1;
      } catch (error) {
        this.expectations.deletionObserved(key, keyOf(pod));
        failure ??= error;
      }
    }));
    return failure;
  }

  /** False: it was gone already. */
  private async deletePod(job: V1Job, pod: V1Pod): Promise<boolean> {
    try {
      await this.control.delete(job, pod.metadata?.namespace ?? '', pod.metadata?.name ?? '');
      return true;
    } catch (error) {
      if (!StatusError.is(error, 'NotFound')) throw error;
      return false;
    }
  }

  private async create(key: string, sync: JobSync, missing: number, now: number): Promise<PodManagement> {
    const { job } = sync;
    const indexed = isIndexed(job);
    const perIndex = job.spec?.backoffLimitPerIndex !== undefined;
    const wait = perIndex ? 0 : backoffLeft(sync.backoff, now);
    if (wait > 0) return { retryAfter: wait };
    const { indexes, left } = indexed ? dueIndexes(sync, missing, now) : { indexes: [], left: 0 };
    if (left > 0) return { retryAfter: left };
    const count = indexed ? indexes.length : missing;
    this.expectations.expectCreations(key, count);
    const reference = controllerReference(job);
    const template = jobPodTemplate(job, indexed);
    let created = 0;
    let ignored = 0;
    const { error } = await slowStart(count, async (i) => {
      const index = indexes[i];
      try {
        if (index === undefined) await this.control.createFromTemplate(job, template, reference);
        else {
          await this.control.createFromTemplate(job, indexPodTemplate(job, template, index, sync.replaced.get(index)), reference, {
            generateName: indexPodNamePrefix(job.metadata?.name ?? '', index),
          });
        }
        created += 1;
      } catch (failure) {
        // All creations fail in a namespace that goes away, and it will soon be gone.
        if (!isNamespaceTerminating(failure)) throw failure;
        ignored += 1;
      }
    });
    for (let absent = count - created; absent > 0; absent--) this.expectations.creationObserved(key);
    sync.activeCount += created + ignored;
    return error === undefined ? {} : { failure: error };
  }
}

function wantedActive({ job, succeeded, activeCount }: JobSync): number {
  const { completions, parallelism = 1 } = job.spec ?? {};
  // A job without completions is done with the first success: what runs may end, nothing new begins.
  if (completions === undefined) return succeeded > 0 ? activeCount : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** The first indexes without a pod that may get one now; when none may, the time until the first may. */
function dueIndexes(sync: JobSync, count: number, now: number): { readonly indexes: readonly number[]; readonly left: number } {
  const { job } = sync;
  let taken = sync.succeededIndexes.union(IndexSet.of(indexesOf(sync.active)));
  if (replacesFailedOnly(job)) taken = taken.union(IndexSet.of(indexesOf(sync.pods.filter(isPodTerminating))));
  if (sync.failedIndexes) taken = taken.union(sync.failedIndexes);
  const indexes: number[] = [];
  let left = Infinity;
  for (const index of taken.gaps(count, job.spec?.completions ?? 0)) {
    const failed = sync.replaced.get(index);
    const wait = failed ? backoffLeft({ failuresSinceSuccess: allIndexFailures(failed) + 1, lastFailure: finishedTime(failed) }, now) : 0;
    if (wait === 0) indexes.push(index);
    else left = Math.min(left, wait);
  }
  return { indexes, left: indexes.length > 0 || left === Infinity ? 0 : left };
}
