import type { KindDefinition } from '../scheme/kind.js';
import { podDisruptionBudget } from './pod-disruption-budget.js';

/** Every kind of the policy group. */
export const kinds = [
  podDisruptionBudget,
] as unknown as readonly KindDefinition[];
