import type { KindDefinition } from '../scheme/kind.js';
import { priorityClass } from './priority-class.js';

/** Every kind of the scheduling.k8s.io group. */
export const kinds = [
  priorityClass,
] as unknown as readonly KindDefinition[];
