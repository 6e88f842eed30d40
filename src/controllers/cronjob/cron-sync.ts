import type { V1CronJob, V1CronJobStatus, V1Job, V1ObjectReference } from '../../api/generated/types.js';
import { timestamp } from '../../api/meta/timestamp.js';

/** One reconcile of a cron job: the object, and the status that is about to be written. */
export class CronSync {
  private active: readonly V1ObjectReference[];
  private lastScheduleTime: string | undefined;
  private lastSuccessfulTime: string | undefined;
  /** The status has to be written. */
  changed = false;

  constructor(readonly cronJob: V1CronJob) {
    this.active = cronJob.status?.active ?? [];
    this.lastScheduleTime = cronJob.status?.lastScheduleTime;
    this.lastSuccessfulTime = cronJob.status?.lastSuccessfulTime;
  }

  /** Jobs that are taken to be running. */
  get activeJobs(): readonly V1ObjectReference[] {
    return this.active;
  }

  isActive(uid: string | undefined): boolean {
    return this.active.some((reference) => reference.uid === uid);
  }

  isActiveName(name: string): boolean {
    return this.active.some((reference) => reference.name === name && reference.namespace === this.cronJob.metadata?.namespace);
  }

  remove(uid: string | undefined): void {
    this.active = this.active.filter((reference) => reference.uid !== uid);
    this.changed = true;
  }

  started(job: V1Job, scheduled: number): void {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = job.metadata ?? {};
    this.active = [...this.active, { apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid, resourceVersion }];
    this.lastScheduleTime = timestamp(scheduled);
    this.changed = true;
  }

  /** A job has succeeded; the latest one is kept. */
  succeeded(job: V1Job): void {
    const at = job.status?.completionTime;
    if (at === undefined || (this.lastSuccessfulTime !== undefined && Date.parse(at) <= Date.parse(this.lastSuccessfulTime))) return;
    this.lastSuccessfulTime = at;
    this.changed = true;
  }

  /** The object with its new status. */
  result(): V1CronJob {
    const status: V1CronJobStatus = {
      ...(this.active.length > 0 ? { active: this.active } : {}),
      ...(this.lastScheduleTime ? { lastScheduleTime: this.lastScheduleTime } : {}),
      ...(this.lastSuccessfulTime ? { lastSuccessfulTime: this.lastSuccessfulTime } : {}),
    };
    return { ...this.cronJob, status };
  }
}
