import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.batch.v1`. */
export const batch: PackageFacts = {
  package: 'io.k8s.api.batch.v1',
  group: 'batch',
  version: 'v1',
  plain: `
    CronJobList JobList
  `,
  types: {
    CronJob: 'spec?; status=',
    CronJobSpec: `
      timeZone*; startingDeadlineSeconds*; concurrencyPolicy ConcurrencyPolicy; suspend*; successfulJobsHistoryLimit*; failedJobsHistoryLimit*
    `,
    CronJobStatus: 'active +atomic',
    Job: 'spec=; status=',
    JobCondition: 'type JobConditionType; status ConditionStatus; lastProbeTime=; lastTransitionTime=',
    JobSpec: `
      parallelism*; completions*; activeDeadlineSeconds*; backoffLimit*; backoffLimitPerIndex*; maxFailedIndexes*; manualSelector*;
      ttlSecondsAfterFinished*; completionMode* CompletionMode; suspend*; podReplacementPolicy* PodReplacementPolicy; managedBy*
    `,
    JobStatus: 'conditions +atomic+merge(type); terminating*; failedIndexes*; ready*',
    JobTemplateSpec: 'spec=',
    PodFailurePolicy: 'rules +atomic',
    PodFailurePolicyOnExitCodesRequirement: 'containerName*; operator PodFailurePolicyOnExitCodesOperator; values +set',
    PodFailurePolicyOnPodConditionsPattern: 'type PodConditionType; status! ConditionStatus',
    PodFailurePolicyRule: 'action PodFailurePolicyAction; onPodConditions +atomic',
    SuccessPolicy: 'rules +atomic',
    SuccessPolicyRule: 'succeededIndexes*; succeededCount*',
    UncountedTerminatedPods: 'succeeded []types.UID +set; failed []types.UID +set',
  },
  enums: {
    CompletionMode: 'Indexed|NonIndexed',
    ConcurrencyPolicy: 'Allow|Forbid|Replace',
    PodFailurePolicyAction: 'Count|FailIndex|FailJob|Ignore',
    PodFailurePolicyOnExitCodesOperator: 'In|NotIn',
    PodReplacementPolicy: 'Failed|TerminatingOrFailed',
  },
};
