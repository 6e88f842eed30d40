import type { V1PodDisruptionBudget } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const podDisruptionBudget = defineKind<V1PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
});
