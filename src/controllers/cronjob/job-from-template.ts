import type { V1CronJob, V1Job } from '../../api/generated/types.js';
import { controllerReference } from '../../api/helpers/owner-references.js';
import { TimeZone } from '../../api/helpers/time-zone.js';

const SCHEDULED_TIMESTAMP = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The name of the job for a time: the same for the same minute, so that it cannot be created twice. */
export function jobNameFor(cronJob: V1CronJob, scheduled: number): string {
  return `${cronJob.metadata?.name ?? ''}-${Math.floor(scheduled / 60_000)}`;
}

/** The job for a time (milliseconds). Its annotation gives the time at the place of the schedule, or in UTC where it has none. */
export function jobFromTemplate(cronJob: V1CronJob, scheduled: number): V1Job {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const timeZone = new TimeZone(cronJob.spec.timeZone ?? 'UTC');
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: cronJob.metadata?.namespace ?? '',
      name: jobNameFor(cronJob, scheduled),
      labels: metadata?.labels ?? {},
      annotations: { ...metadata?.annotations, [SCHEDULED_TIMESTAMP]: timeZone.rfc3339(scheduled) },
      ownerReferences: [controllerReference(cronJob)],
    },
    ...(spec ? { spec } : {}),
  };
}
