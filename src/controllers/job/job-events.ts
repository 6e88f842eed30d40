import type { V1Job, V1Pod } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { controllerOf } from '../../api/helpers/owner-references.js';
import type { Informer } from '../../client/index.js';
import type { WorkQueue } from '../../reconcile/index.js';
import type { Expectations } from '../shared/expectations.js';
import { keyOf } from '../shared/object-key.js';
import type { OwnerIndex } from '../shared/owner-index.js';
import type { SelectorCache } from '../shared/selector-cache.js';
import type { FinalizerExpectations } from './finalizer-expectations.js';
import { finishedType, hasTrackingFinalizer } from './job-facts.js';
import { uidOf } from './job-sync.js';

const SHORTEST_BATCH_MILLISECONDS = 100;
const LONGEST_BATCH_MILLISECONDS = 1_000;

/** What {@link watchJobs} tells about events. */
export interface JobEventSinks {
  readonly jobs: Informer<V1Job>;
  readonly pods: Informer<V1Pod>;
  readonly podsByOwner: OwnerIndex<V1Pod>;
  readonly selectors: SelectorCache;
  readonly queue: WorkQueue;
  /** Keys of pods that may have to lose their finalizer although no job counts them. */
  readonly orphans: WorkQueue;
  readonly expectations: Expectations;
  readonly finalizers: FinalizerExpectations;
  /** The job is gone. */
  forget(job: V1Job): void;
}

/** Adds handlers; returns what takes them off again. */
export function watchJobs(sinks: JobEventSinks): (() => void)[] {
  const events = new JobEvents(sinks);
  return [
    sinks.jobs.addHandler({
      add: (job) => sinks.queue.add(keyOf(job)),
      update: (job, previous) => events.jobUpdated(job, previous),
      delete: (job) => events.jobDeleted(job),
    }),
    sinks.pods.addHandler({
      add: (pod) => events.podAdded(pod),
      update: (pod, previous) => events.podUpdated(pod, previous),
      delete: (pod) => events.podGone(pod, true),
    }),
  ];
}

/** Events of pods and statuses are gathered: a status is written for many pods at once. */
export function batchMilliseconds(job: V1Job): number {
  const size = Math.max(job.spec?.parallelism ?? 1, job.spec?.completions ?? 1);
  return Math.min(LONGEST_BATCH_MILLISECONDS, Math.max(SHORTEST_BATCH_MILLISECONDS, size));
}

/** The job that a controller reference names. */
export function jobOf(jobs: Informer<V1Job>, pod: V1Pod): V1Job | undefined {
  const reference = controllerOf(pod);
  if (reference?.kind !== 'Job') return undefined;
  const job = jobs.get(pod.metadata?.namespace ?? '', reference.name);
  return job?.metadata?.uid === reference.uid ? job : undefined;
}

class JobEvents {
  constructor(private readonly sinks: JobEventSinks) {}

  jobUpdated(job: V1Job, previous: V1Job): void {
    // Pods are released before a job is called finished; this is for those that came later.
    if (finishedType(job)) this.releasePodsOf(job);
    else if (job.metadata?.generation === previous.metadata?.generation) this.enqueue(job);
    else this.sinks.queue.add(keyOf(job));
  }

  jobDeleted(job: V1Job): void {
    this.sinks.forget(job);
    this.sinks.queue.add(keyOf(job));
    this.releasePodsOf(job);
  }

  podAdded(pod: V1Pod): void {
    // After a restart a pod may first be seen while it is being deleted.
    if (pod.metadata?.deletionTimestamp) return this.podGone(pod, false);
    if (!controllerOf(pod)) return this.orphanSeen(pod, true);
    const job = jobOf(this.sinks.jobs, pod);
    if (!job) return;
    this.sinks.expectations.creationObserved(keyOf(job));
    this.enqueue(job);
  }

  podUpdated(pod: V1Pod, previous: V1Pod): void {
    if (pod.metadata?.deletionTimestamp) return this.podGone(pod, false);
    const ownerChanged = controllerOf(pod)?.uid !== controllerOf(previous)?.uid;
    if (ownerChanged) this.podChanged(jobOf(this.sinks.jobs, previous), pod);
    if (controllerOf(pod)) return this.podChanged(jobOf(this.sinks.jobs, pod), pod);
    this.orphanSeen(pod, ownerChanged || !deepEqual(pod.metadata?.labels, previous.metadata?.labels));
  }

  /** @param final the object is gone, not only being deleted */
  podGone(pod: V1Pod, final: boolean): void {
    const job = controllerOf(pod) ? jobOf(this.sinks.jobs, pod) : undefined;
    if (!job || finishedType(job)) {
      // Its own reconcile will not release it.
      if (hasTrackingFinalizer(pod) && !final) this.sinks.orphans.add(keyOf(pod));
      return;
    }
    const key = keyOf(job);
    this.sinks.expectations.deletionObserved(key, keyOf(pod));
    if (final) this.sinks.finalizers.observed(key, uidOf(pod));
    this.podChanged(job, pod);
  }

  private podChanged(job: V1Job | undefined, pod: V1Pod): void {
    if (!job) return;
    if (!hasTrackingFinalizer(pod)) this.sinks.finalizers.observed(keyOf(job), uidOf(pod));
    this.enqueue(job);
  }

  private orphanSeen(pod: V1Pod, mayBeAdopted: boolean): void {
    if (hasTrackingFinalizer(pod)) this.sinks.orphans.add(keyOf(pod));
    if (!mayBeAdopted) return;
    for (const job of this.sinks.jobs.list(pod.metadata?.namespace ?? '')) {
      if (this.sinks.selectors.of(job.spec?.selector).matches(pod.metadata?.labels)) this.enqueue(job);
    }
  }

  private releasePodsOf(job: V1Job): void {
    for (const pod of this.sinks.podsByOwner.ownedBy(job)) if (hasTrackingFinalizer(pod)) this.sinks.orphans.add(keyOf(pod));
  }

  private enqueue(job: V1Job): void {
    this.sinks.queue.addAfter(keyOf(job), batchMilliseconds(job));
  }
}
