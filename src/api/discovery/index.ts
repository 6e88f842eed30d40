import type { KindDefinition } from '../scheme/kind.js';
import { endpointSlice } from './endpoint-slice.js';

/** Every kind of the discovery.k8s.io group. */
export const kinds = [
  endpointSlice,
] as unknown as readonly KindDefinition[];
