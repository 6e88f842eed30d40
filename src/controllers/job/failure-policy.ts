import type { V1ContainerStatus, V1Pod, V1PodCondition, V1PodFailurePolicy, V1PodFailurePolicyOnExitCodesRequirement, V1PodFailurePolicyRule } from '../../api/generated/types.js';

/** What a pod failure policy makes of a failed pod. */
export interface FailureVerdict {
  /** Counts towards the back-off limits. */
  readonly counts: boolean;
  /** Action of the rule that matched; absent: none did. */
  readonly action?: 'Ignore' | 'Count' | 'FailIndex' | 'FailJob';
  /** Why the job fails, for `FailJob`. */
  readonly jobMessage?: string;
}

/** Judges a failed pod by the first rule that matches it. Without policy, or without such a rule, the failure counts. */
export function judgeFailure(policy: V1PodFailurePolicy | undefined, pod: V1Pod): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const what = match(rule, pod);
    if (what === undefined) continue;
    switch (rule.action) {
      case 'Ignore': return { counts: false, action: 'Ignore' };
      case 'FailIndex': return { counts: true, action: 'FailIndex' };
      case 'Count': return { counts: true, action: 'Count' };
      case 'FailJob': return { counts: true, action: 'FailJob', jobMessage: `${what} matching FailJob rule at index ${index}` };
    }
  }
  return { counts: true };
}

/** The part of the pod that matches, in words. */
function match(rule: V1PodFailurePolicyRule, pod: V1Pod): string | undefined {
  const name = `${pod.metadata?.namespace ?? ''}/${pod.metadata?.name ?? ''}`;
  if (rule.onExitCodes) {
    const container = matchExitCodes(pod, rule.onExitCodes);
    return container && `Container ${container.name} for pod ${name} failed with exit code ${container.state?.terminated?.exitCode ?? 0}`;
  }
  const condition = matchConditions(pod, rule);
  return condition && `Pod ${name} has condition ${condition.type}`;
}

function matchExitCodes(pod: V1Pod, { containerName, operator, values }: V1PodFailurePolicyOnExitCodesRequirement): V1ContainerStatus | undefined {
  const fits = (status: V1ContainerStatus): boolean => {
    const code = status.state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== status.name)) return false;
    return operator === 'In' ? values.includes(code) : operator === 'NotIn' && !values.includes(code);
  };
  return pod.status?.containerStatuses?.find(fits) ?? pod.status?.initContainerStatuses?.find(fits);
}

function matchConditions(pod: V1Pod, { onPodConditions = [] }: V1PodFailurePolicyRule): V1PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => onPodConditions.some(({ type, status = 'True' }) => type === condition.type && status === condition.status));
}
