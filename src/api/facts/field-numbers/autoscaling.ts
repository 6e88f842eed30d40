/** Field numbers in protobuf of the types of `io.k8s.api.autoscaling.v1`; the notation is explained in index.ts. */
export const autoscaling: Readonly<Record<string, string>> = {
  CrossVersionObjectReference: 'kind name apiVersion',
  HorizontalPodAutoscaler: 'metadata spec status',
  HorizontalPodAutoscalerList: 'metadata items',
  HorizontalPodAutoscalerSpec: 'scaleTargetRef minReplicas maxReplicas targetCPUUtilizationPercentage',
  HorizontalPodAutoscalerStatus: 'observedGeneration lastScaleTime currentReplicas desiredReplicas currentCPUUtilizationPercentage',
  Scale: 'metadata spec status',
  ScaleSpec: 'replicas',
  ScaleStatus: 'replicas selector',
};
