import type { KindDefinition } from '../scheme/kind.js';
import { flowSchema } from './flow-schema.js';
import { priorityLevelConfiguration } from './priority-level-configuration.js';

/** Every kind of the flowcontrol.apiserver.k8s.io group. */
export const kinds = [
  flowSchema,
  priorityLevelConfiguration,
] as unknown as readonly KindDefinition[];
