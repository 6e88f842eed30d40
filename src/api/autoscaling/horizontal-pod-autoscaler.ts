import type { V2HorizontalPodAutoscaler } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const horizontalPodAutoscaler = defineKind<V2HorizontalPodAutoscaler>({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
});
