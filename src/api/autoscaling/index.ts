import type { KindDefinition } from '../scheme/kind.js';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.js';

/** Every kind of the autoscaling group. */
export const kinds = [
  horizontalPodAutoscaler,
] as unknown as readonly KindDefinition[];
