import type { V1CronJob, V1Job } from '../../api/generated/types.js';
import { controllerOf, isControlledBy } from '../../api/helpers/owner-references.js';
import { TimeZone } from '../../api/helpers/time-zone.js';
import { CRON_JOBS, JOBS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import type { Informer, ResourceClient } from '../../client/index.js';
import type { ReconcileResult, WorkQueue } from '../../reconcile/index.js';
import type { ControllerContext } from '../controller.js';
import { finishedType } from '../job/job-facts.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { ownerIndex, type OwnerIndex } from '../shared/owner-index.js';
import { isNamespaceTerminating } from '../shared/pod-control.js';
import { CronSync } from './cron-sync.js';
import { jobFromTemplate, jobNameFor } from './job-from-template.js';
import { dueTimes, missedTimes, untilNext, type DueTimes } from './schedule.js';

/** Creates the jobs of cron jobs when they are due, and clears away old ones. */
export class CronJobReconciler {
  private readonly cronJobs: Informer<V1CronJob>;
  private readonly jobs: Informer<V1Job>;
  private readonly jobsByOwner: OwnerIndex<V1Job>;
  private readonly cronJobClient: ResourceClient<V1CronJob>;
  private readonly jobClient: ResourceClient<V1Job>;

  constructor(
    private readonly context: ControllerContext,
    private readonly queue: WorkQueue,
  ) {
    this.cronJobs = context.informers.informer(CRON_JOBS);
    this.jobs = context.informers.informer(JOBS);
    this.jobsByOwner = ownerIndex(this.jobs);
    this.cronJobClient = context.client.resource(CRON_JOBS);
    this.jobClient = context.client.resource(JOBS);
  }

  get informers(): readonly [Informer<V1CronJob>, Informer<V1Job>] {
    return [this.cronJobs, this.jobs];
  }

  watch(): (() => void)[] {
    const enqueue = (cronJob: V1CronJob): void => this.queue.add(keyOf(cronJob));
    return [
      this.cronJobs.addHandler({ add: enqueue, update: (cronJob, previous) => this.updated(cronJob, previous), delete: enqueue }),
      this.jobs.addHandler({
        add: (job) => this.enqueueOwner(job),
        update: (job, previous) => {
          if (controllerOf(job)?.uid !== controllerOf(previous)?.uid) this.enqueueOwner(previous);
          this.enqueueOwner(job);
        },
        delete: (job) => this.enqueueOwner(job),
      }),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key);
    const cronJob = this.cronJobs.get(namespace, name);
    if (!cronJob) return undefined;
    const jobs = this.jobsByOwner.ownedBy(cronJob);
    let sync = new CronSync(cronJob);
    await this.clearHistory(sync, jobs);
    let next: ReconcileResult;
    let failure: unknown;
    try {
      sync = await this.takeStock(sync, jobs);
      next = await this.startIfDue(sync);
    } catch (error) {
      failure = error;
    }
    if (sync.changed) await this.cronJobClient.updateStatus(sync.result());
    if (failure !== undefined) throw failure;
    return next;
  }

  private event(cronJob: V1CronJob, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.context.recorder.event(cronJob, type, reason, message);
  }

  /** A new schedule is looked at when it is due; anything else at once. */
  private updated(cronJob: V1CronJob, previous: V1CronJob): void {
    if (cronJob.spec.schedule === previous.spec.schedule && cronJob.spec.timeZone === previous.spec.timeZone) return this.queue.add(keyOf(cronJob));
    try {
      this.queue.addAfter(keyOf(cronJob), untilNext(cronJob, dueTimes(cronJob), this.context.clock.now()));
    } catch {
      this.event(cronJob, 'Warning', 'UnParseableCronJobSchedule', `unparseable schedule for cronjob: ${cronJob.spec.schedule}`);
    }
  }

  private enqueueOwner(job: V1Job): void {
    const reference = controllerOf(job);
    if (reference?.kind !== 'CronJob') return;
    const cronJob = this.cronJobs.get(job.metadata?.namespace ?? '', reference.name);
    if (cronJob?.metadata?.uid === reference.uid) this.queue.add(keyOf(cronJob));
  }

  /** Deletes the oldest finished jobs beyond the limits. */
  private async clearHistory(sync: CronSync, jobs: readonly V1Job[]): Promise<void> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = sync.cronJob.spec;
    const limits = [['Complete', successfulJobsHistoryLimit], ['Failed', failedJobsHistoryLimit]] as const;
    for (const [type, limit] of limits) {
      if (limit === undefined) continue;
      const finished = jobs.filter((job) => finishedType(job) === type).sort(byStartTime);
      for (const job of finished.slice(0, Math.max(0, finished.length - limit))) if (!job.metadata?.deletionTimestamp) await this.deleteJob(sync, job);
    }
  }

  /** Brings the list of active jobs and the time of the last success up to date. Returns the sync to go on with. */
  private async takeStock(start: CronSync, jobs: readonly V1Job[]): Promise<CronSync> {
    let sync = start;
    for (const job of jobs) {
      const { uid, name = '' } = job.metadata ?? {};
      const type = finishedType(job);
      if (type) {
        if (sync.isActive(uid)) {
          sync.remove(uid);
          this.event(sync.cronJob, 'Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${type}`);
        }
        if (type === 'Complete') sync.succeeded(job);
      } else if (!sync.isActive(uid)) {
        // The informer may show the job before the status that lists it.
        const { namespace = '', name: own = '' } = sync.cronJob.metadata ?? {};
        const fresh = new CronSync(await this.cronJobClient.get(namespace, own));
        if (fresh.isActive(uid)) {
          fresh.changed = sync.changed;
          sync = fresh;
        } else this.event(sync.cronJob, 'Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`);
      }
    }
    const known = new Set(jobs.map((job) => job.metadata?.uid));
    for (const { uid, namespace = '', name = '' } of sync.activeJobs) {
      if (known.has(uid) || (await this.findJob(namespace, name))) continue;
      this.event(sync.cronJob, 'Normal', 'MissingJob', `Active job went missing: ${name}`);
      sync.remove(uid);
    }
    return sync;
  }

  private async startIfDue(sync: CronSync): Promise<ReconcileResult> {
    const { cronJob } = sync;
    if (cronJob.metadata?.deletionTimestamp) return undefined;
    const times = this.timesOf(cronJob);
    if (!times) return undefined;
    const now = this.context.clock.now();
    const scheduled = this.dueAt(cronJob, times, now);
    if (scheduled === 'invalid') return undefined;
    if (scheduled !== undefined && this.mayStart(sync, scheduled, now) && !(await this.start(sync, scheduled))) return undefined;
    return { requeueAfterMilliseconds: untilNext(sync.result(), times, now) };
  }

  /** Undefined when there is nothing to wait for, after an event that says why. */
  private timesOf(cronJob: V1CronJob): DueTimes | undefined {
    const { schedule, timeZone, suspend } = cronJob.spec;
    if (timeZone !== undefined) {
      try {
        new TimeZone(timeZone);
      } catch (error) {
        this.event(cronJob, 'Warning', 'UnknownTimeZone', `invalid timeZone: ${JSON.stringify(timeZone)}: ${errorMessage(error)}`);
        return undefined;
      }
    }
    if (suspend) return undefined;
    if (schedule.includes('TZ')) {
      this.event(cronJob, 'Warning', 'UnsupportedSchedule', `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`);
    }
    try {
      return dueTimes(cronJob);
    } catch (error) {
      this.event(cronJob, 'Warning', 'UnparseableSchedule', `unparseable schedule: ${JSON.stringify(schedule)} : ${errorMessage(error)}`);
      return undefined;
    }
  }

  private dueAt(cronJob: V1CronJob, times: DueTimes, now: number): number | undefined | 'invalid' {
    try {
      const { latest, missed } = missedTimes(cronJob, times, now, true);
      if (latest !== undefined && missed === 'many') {
        this.event(cronJob, 'Warning', 'TooManyMissedTimes', 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew');
      }
      return latest;
    } catch (error) {
      this.event(cronJob, 'Warning', 'InvalidSchedule', `invalid schedule: ${cronJob.spec.schedule} : ${errorMessage(error)}`);
      return 'invalid';
    }
  }

  private mayStart(sync: CronSync, scheduled: number, now: number): boolean {
    const { cronJob } = sync;
    const { startingDeadlineSeconds: deadline, concurrencyPolicy } = cronJob.spec;
    if (deadline !== undefined && scheduled + deadline * 1000 < now) {
      this.event(cronJob, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${new Date(scheduled).toUTCString().replace('GMT', '+0000')}`);
      return false;
    }
    const last = cronJob.status?.lastScheduleTime;
    if (sync.isActiveName(jobNameFor(cronJob, scheduled)) || (last !== undefined && Date.parse(last) === scheduled)) return false;
    if (concurrencyPolicy === 'Forbid' && sync.activeJobs.length > 0) {
      this.event(cronJob, 'Normal', 'JobAlreadyActive', 'Not starting job because prior execution is running and concurrency policy is Forbid');
      return false;
    }
    return true;
  }

  /** False: somebody else has the name, or the job is already known. */
  private async start(sync: CronSync, scheduled: number): Promise<boolean> {
    const { cronJob } = sync;
    if (cronJob.spec.concurrencyPolicy === 'Replace') await this.replaceActive(sync);
    const wanted = jobFromTemplate(cronJob, scheduled);
    let job: V1Job;
    try {
      job = await this.jobClient.create(wanted);
      this.event(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata?.name ?? ''}`);
    } catch (error) {
      if (!StatusError.is(error, 'AlreadyExists')) {
        if (!isNamespaceTerminating(error)) this.event(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${errorMessage(error)}`);
        throw error;
      }
      // Made by us when the status could not be written afterwards, or by somebody else.
      job = await this.jobClient.get(wanted.metadata?.namespace ?? '', wanted.metadata?.name ?? '');
      if (!isControlledBy(job, cronJob) || sync.isActive(job.metadata?.uid)) return false;
    }
    sync.started(job, scheduled);
    return true;
  }

  private async replaceActive(sync: CronSync): Promise<void> {
    for (const { namespace = '', name = '' } of sync.activeJobs) {
      let job: V1Job;
      try {
        job = await this.jobClient.get(namespace, name);
      } catch (error) {
        this.event(sync.cronJob, 'Warning', 'FailedGet', `Get job: ${errorMessage(error)}`);
        throw error;
      }
      if (!(await this.deleteJob(sync, job))) throw new Error(`could not replace job ${namespace}/${name}`);
    }
  }

  private async deleteJob(sync: CronSync, job: V1Job): Promise<boolean> {
    const { namespace = '', name = '', uid } = job.metadata ?? {};
    try {
      await this.jobClient.delete(namespace, name, { propagationPolicy: 'Background' });
    } catch (error) {
      this.event(sync.cronJob, 'Warning', 'FailedDelete', `Deleted job: ${errorMessage(error)}`);
      return false;
    }
    sync.remove(uid);
    this.event(sync.cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`);
    return true;
  }

  private async findJob(namespace: string, name: string): Promise<V1Job | undefined> {
    try {
      return await this.jobClient.get(namespace, name);
    } catch (error) {
      if (!StatusError.is(error, 'NotFound')) throw error;
      return undefined;
    }
  }
}

/** Jobs that have not begun come last. */
function byStartTime(a: V1Job, b: V1Job): number {
  const [x, y] = [a.status?.startTime ?? '~', b.status?.startTime ?? '~'];
  if (x !== y) return x < y ? -1 : 1;
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}
