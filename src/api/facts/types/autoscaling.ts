import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.autoscaling.v1`. */
export const autoscaling: PackageFacts = {
  package: 'io.k8s.api.autoscaling.v1',
  group: 'autoscaling',
  version: 'v1',
  plain: `
    HorizontalPodAutoscalerList ScaleStatus
  `,
  types: {
    CrossVersionObjectReference: '@atomic',
    HorizontalPodAutoscaler: 'spec?; status=',
    HorizontalPodAutoscalerSpec: 'minReplicas*; targetCPUUtilizationPercentage*',
    HorizontalPodAutoscalerStatus: 'observedGeneration*; currentCPUUtilizationPercentage*',
    Scale: 'spec=; status=',
    ScaleSpec: 'replicas +default(0)',
  },
};
