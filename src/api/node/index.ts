import type { KindDefinition } from '../scheme/kind.js';
import { runtimeClass } from './runtime-class.js';

/** Every kind of the node.k8s.io group. */
export const kinds = [
  runtimeClass,
] as unknown as readonly KindDefinition[];
