import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.autoscaling.v2`. */
export const autoscalingV2: PackageFacts = {
  package: 'io.k8s.api.autoscaling.v2',
  group: 'autoscaling',
  version: 'v2',
  plain: `
    CrossVersionObjectReference ExternalMetricSource ExternalMetricStatus HorizontalPodAutoscalerBehavior HorizontalPodAutoscalerList
    MetricIdentifier ObjectMetricSource ObjectMetricStatus PodsMetricSource PodsMetricStatus
  `,
  types: {
    ContainerResourceMetricSource: 'name v1.ResourceName',
    ContainerResourceMetricStatus: 'name v1.ResourceName',
    HPAScalingPolicy: 'type HPAScalingPolicyType',
    HPAScalingRules: 'stabilizationWindowSeconds*; selectPolicy* ScalingPolicySelect; policies +atomic; tolerance resource.Quantity',
    HorizontalPodAutoscaler: 'spec?; status=',
    HorizontalPodAutoscalerCondition: 'type HorizontalPodAutoscalerConditionType; status v1.ConditionStatus; lastTransitionTime=',
    HorizontalPodAutoscalerSpec: 'minReplicas*; metrics +atomic',
    HorizontalPodAutoscalerStatus: 'observedGeneration*; currentMetrics! +atomic; conditions +map(type)+merge(type)',
    MetricSpec: 'type MetricSourceType',
    MetricStatus: 'type MetricSourceType',
    MetricTarget: 'type MetricTargetType; value resource.Quantity; averageValue resource.Quantity; averageUtilization*',
    MetricValueStatus: 'value resource.Quantity; averageValue resource.Quantity; averageUtilization*',
    ResourceMetricSource: 'name v1.ResourceName',
    ResourceMetricStatus: 'name v1.ResourceName',
  },
};
