/** Field numbers in protobuf of the types of `io.k8s.api.policy.v1`; the notation is explained in index.ts. */
export const policy: Readonly<Record<string, string>> = {
  Eviction: 'metadata deleteOptions',
  PodDisruptionBudget: 'metadata spec status',
  PodDisruptionBudgetList: 'metadata items',
  PodDisruptionBudgetSpec: 'minAvailable selector maxUnavailable unhealthyPodEvictionPolicy',
  PodDisruptionBudgetStatus: 'observedGeneration disruptedPods disruptionsAllowed currentHealthy desiredHealthy expectedPods conditions',
};
