import type { KindDefinition } from '../scheme/kind.js';
import { customResourceDefinition } from './custom-resource-definition.js';

/** Every kind of the apiextensions.k8s.io group. */
export const kinds = [
  customResourceDefinition,
] as unknown as readonly KindDefinition[];
