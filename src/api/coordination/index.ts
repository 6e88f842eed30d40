import type { KindDefinition } from '../scheme/kind.js';
import { lease } from './lease.js';

/** Every kind of the coordination.k8s.io group. */
export const kinds = [
  lease,
] as unknown as readonly KindDefinition[];
