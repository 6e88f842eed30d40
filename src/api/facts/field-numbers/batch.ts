/** Field numbers in protobuf of the types of `io.k8s.api.batch.v1`; the notation is explained in index.ts. */
export const batch: Readonly<Record<string, string>> = {
  CronJob: 'metadata spec status',
  CronJobList: 'metadata items',
  CronJobSpec: 'schedule startingDeadlineSeconds concurrencyPolicy suspend jobTemplate successfulJobsHistoryLimit failedJobsHistoryLimit timeZone',
  CronJobStatus: 'active lastScheduleTime:4 lastSuccessfulTime',
  Job: 'metadata spec status',
  JobCondition: 'type status lastProbeTime lastTransitionTime reason message',
  JobList: 'metadata items',
  JobSpec: `
    parallelism completions activeDeadlineSeconds selector manualSelector template backoffLimit ttlSecondsAfterFinished completionMode suspend
    podFailurePolicy backoffLimitPerIndex maxFailedIndexes podReplacementPolicy managedBy successPolicy
  `,
  JobStatus: `
    conditions startTime completionTime active succeeded failed completedIndexes uncountedTerminatedPods ready failedIndexes terminating
  `,
  JobTemplateSpec: 'metadata spec',
  PodFailurePolicy: 'rules',
  PodFailurePolicyOnExitCodesRequirement: 'containerName operator values',
  PodFailurePolicyOnPodConditionsPattern: 'type status',
  PodFailurePolicyRule: 'action onExitCodes onPodConditions',
  SuccessPolicy: 'rules',
  SuccessPolicyRule: 'succeededIndexes succeededCount',
  UncountedTerminatedPods: 'succeeded failed',
};
