import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.policy.v1`. */
export const policy: PackageFacts = {
  package: 'io.k8s.api.policy.v1',
  group: 'policy',
  version: 'v1',
  plain: `
    Eviction PodDisruptionBudgetList
  `,
  types: {
    PodDisruptionBudget: 'spec=; status=',
    PodDisruptionBudgetSpec: 'selector +strategy(replace); unhealthyPodEvictionPolicy* UnhealthyPodEvictionPolicyType',
    PodDisruptionBudgetStatus: 'disruptionsAllowed!; currentHealthy!; desiredHealthy!; expectedPods!; conditions +map(type)+merge(type)',
  },
  enums: {
    UnhealthyPodEvictionPolicyType: 'AlwaysAllow|IfHealthyBudget',
  },
};
