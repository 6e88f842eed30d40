import type { V1Job, V1Pod } from '../../api/generated/types.js';
import { controllerOf, controllerReference } from '../../api/helpers/owner-references.js';
import { JOBS, PODS } from '../../api/resource-refs.js';
import type { Informer, ResourceClient } from '../../client/index.js';
import type { ReconcileResult, WorkQueue } from '../../reconcile/index.js';
import type { ControllerContext } from '../controller.js';
import { claim } from '../shared/adoption.js';
import { Expectations } from '../shared/expectations.js';
import { splitKey } from '../shared/object-key.js';
import { ownerIndex, type OwnerIndex } from '../shared/owner-index.js';
import { PodControl } from '../shared/pod-control.js';
import { SelectorCache } from '../shared/selector-cache.js';
import { timestamp } from '../../api/meta/timestamp.js';
import type { BackoffRecord } from './backoff.js';
import { completed, deadlineLeft, decideEnd } from './end-state.js';
import { FinalizerExpectations } from './finalizer-expectations.js';
import { batchMilliseconds, jobOf, watchJobs } from './job-events.js';
import { finishedType, isManagedElsewhere, isSuspended, jobCondition, setJobCondition, TRACKING_FINALIZER, wireStatus } from './job-facts.js';
import { JobSync, uidOf } from './job-sync.js';
import { PodManager, type PodManagement } from './pod-manager.js';
import { trackPods } from './tracking.js';
import { WrittenVersions } from './written-versions.js';

/** Runs the pods of jobs until the jobs are complete or have failed. */
export class JobReconciler {
  private readonly jobs: Informer<V1Job>;
  private readonly pods: Informer<V1Pod>;
  private readonly podsByOwner: OwnerIndex<V1Pod>;
  private readonly client: ResourceClient<V1Job>;
  private readonly control: PodControl;
  private readonly manager: PodManager;
  private readonly selectors = new SelectorCache();
  private readonly expectations: Expectations;
  private readonly finalizers = new FinalizerExpectations();
  private readonly written = new WrittenVersions();
  private readonly backoffs = new Map<string, BackoffRecord>();
  /** UIDs of jobs that have ended, which the informer does not show yet. */
  private readonly ended = new Set<string>();

  constructor(
    private readonly context: ControllerContext,
    private readonly queue: WorkQueue,
    private readonly orphans: WorkQueue,
  ) {
    this.jobs = context.informers.informer(JOBS);
    this.pods = context.informers.informer(PODS);
    this.podsByOwner = ownerIndex(this.pods);
    this.client = context.client.resource(JOBS);
    this.control = new PodControl(context.client, context.recorder);
    this.expectations = new Expectations(context.clock);
    this.manager = new PodManager(this.control, this.expectations);
  }

  get informers(): readonly [Informer<V1Job>, Informer<V1Pod>] {
    return [this.jobs, this.pods];
  }

  watch(): (() => void)[] {
    const { jobs, pods, podsByOwner, selectors, queue, orphans, expectations, finalizers } = this;
    return watchJobs({ jobs, pods, podsByOwner, selectors, queue, orphans, expectations, finalizers, forget: (job) => void this.ended.delete(job.metadata?.uid ?? '') });
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key);
    const job = this.jobs.get(namespace, name);
    if (!job) return this.forget(key);
    if (this.written.isBehind(key, job.metadata?.resourceVersion) || isManagedElsewhere(job)) return undefined;
    const uid = job.metadata?.uid ?? '';
    if (finishedType(job)) {
      this.backoffs.delete(key);
      this.ended.delete(uid);
      return undefined;
    }
    if (this.ended.has(uid)) return undefined;
    const mode = job.spec?.completionMode ?? 'NonIndexed';
    if (mode !== 'NonIndexed' && mode !== 'Indexed') {
      return this.context.recorder.event(job, 'Warning', 'UnknownCompletionMode', 'Skipped Job sync because completion mode is unknown');
    }
    return this.sync(key, job);
  }

  /** Takes the finalizer off a pod that no running job counts. */
  async releaseOrphan(key: string): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key);
    const pod = this.pods.get(namespace, name);
    if (!pod) return undefined;
    const reference = controllerOf(pod);
    if (reference && (reference.kind !== 'Job' || reference.apiVersion !== 'batch/v1')) return undefined;
    const job = jobOf(this.jobs, pod);
    if (job && (isManagedElsewhere(job) || !finishedType(job))) return undefined;
    await this.manager.release(pod);
    return undefined;
  }

  private forget(key: string): void {
    this.expectations.forget(key);
    this.finalizers.forget(key);
    this.written.forget(key);
    this.backoffs.delete(key);
  }

  private async sync(key: string, job: V1Job): Promise<ReconcileResult> {
    // Before the pods are looked at: one that comes in between must not satisfy what was expected before it.
    const settled = this.expectations.satisfied(key);
    const pods = await claim({
      owner: job,
      reference: controllerReference(job),
      selector: this.selectors.of(job.spec?.selector),
      candidates: this.podsByOwner.candidatesOf(job),
      owners: this.client,
      objects: this.control.pods,
      finalizer: TRACKING_FINALIZER,
    });
    const now = this.context.clock.now();
    const sync = new JobSync(job, pods, this.finalizers.of(key), this.backoffs.get(key));
    if (sync.status.startTime === undefined && !isSuspended(job)) sync.status.startTime = timestamp(now);
    sync.finished = decideEnd(sync, now);
    const { changed, ...managed } = sync.finished ? await this.endPods(sync, settled) : await this.runPods(key, sync, settled, now);

    const { status } = sync;
    const news = changed || sync.activeCount !== (status.active ?? 0) || sync.ready !== status.ready || sync.terminating !== status.terminating;
    Object.assign(status, { active: sync.activeCount, ready: sync.ready, terminating: sync.terminating });
    const ended = await trackPods(sync, news, {
      writeStatus: (current) => this.writeStatus(key, current),
      listed: () => this.rememberBackoff(key, sync),
      release: (finished) => this.releaseAll(key, finished),
      now: () => this.context.clock.now(),
    });
    if (ended) this.announceEnd(sync);
    if (managed.failure !== undefined) throw managed.failure;
    return this.nextTime(sync, managed, now);
  }

  /** The job ends: all its pods go. */
  private async endPods(sync: JobSync, settled: boolean): Promise<PodManagement & { readonly changed: boolean }> {
    const { complete, failure } = await this.manager.removeActive(sync);
    // Pods that are not in the informer yet, or could not be deleted, would be left out.
    if (!complete || !settled) sync.finished = undefined;
    return { changed: false, ...(failure === undefined ? {} : { failure }) };
  }

  private async runPods(key: string, sync: JobSync, settled: boolean, now: number): Promise<PodManagement & { readonly changed: boolean }> {
    const manages = settled && sync.job.metadata?.deletionTimestamp === undefined;
    const managed = manages ? await this.manager.manage(key, sync, now) : {};
    sync.finished = completed(sync, now);
    return { ...managed, changed: manages && !sync.finished && this.updateSuspended(sync, now) };
  }

  /** The Suspended condition follows the spec; the time of a job runs only while it is not suspended. Returns whether the status changed. */
  private updateSuspended({ job, status }: JobSync, now: number): boolean {
    const suspended = isSuspended(job);
    const [event, message] = suspended ? ['Suspended', 'Job suspended'] : ['Resumed', 'Job resumed'];
    if (!setJobCondition(status, jobCondition('Suspended', `Job${event}`, message, now, suspended ? 'True' : 'False'))) return false;
    this.context.recorder.event(job, 'Normal', event, message);
    if (suspended) delete status.startTime;
    else status.startTime = timestamp(now);
    return true;
  }

  private async writeStatus(key: string, sync: JobSync): Promise<void> {
    sync.job = await this.client.updateStatus({ ...sync.job, status: wireStatus(sync.status) });
    this.written.wrote(key, sync.job.metadata?.resourceVersion);
  }

  private rememberBackoff(key: string, { backoff }: JobSync): void {
    if (backoff.failuresSinceSuccess > 0) this.backoffs.set(key, backoff);
    else this.backoffs.delete(key);
  }

  private async releaseAll(key: string, pods: readonly V1Pod[]): Promise<{ readonly released: readonly string[]; readonly failure?: unknown }> {
    this.finalizers.expect(key, pods.map(uidOf));
    const released: string[] = [];
    let failure: unknown;
    await Promise.all(pods.map(async (pod) => {
      try {
        if (!(await this.manager.release(pod))) this.finalizers.observed(key, uidOf(pod));
        released.push(uidOf(pod));
      } catch (error) {
        this.finalizers.observed(key, uidOf(pod));
        failure ??= error;
      }
    }));
    return { released, ...(failure === undefined ? {} : { failure }) };
  }

  private announceEnd({ job, finished }: JobSync): void {
    const { recorder } = this.context;
    this.ended.add(job.metadata?.uid ?? '');
    if (finished?.type !== 'Complete') return recorder.event(job, 'Warning', finished?.reason ?? '', finished?.message ?? '');
    const completions = job.spec?.completions;
    if (completions !== undefined && (job.status?.succeeded ?? 0) > completions) {
      recorder.event(job, 'Warning', 'TooManySucceededPods', 'Too many succeeded pods running after completion count reached');
    }
    recorder.event(job, 'Normal', 'Completed', 'Job completed');
  }

  /** The next look at the job: when its deadline comes, or when it may create pods again. */
  private nextTime({ job, status, finished }: JobSync, { retryAfter }: PodManagement, now: number): ReconcileResult {
    if (finished) return undefined;
    const retry = retryAfter === undefined ? Infinity : Math.max(retryAfter, batchMilliseconds(job));
    const next = Math.min(retry, Math.max(0, deadlineLeft(job, status.startTime, now) ?? Infinity));
    return next === Infinity ? undefined : { requeueAfterMilliseconds: next };
  }
}
