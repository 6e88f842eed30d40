import type { KindDefinition } from '../scheme/kind.js';
import { apiService } from './api-service.js';

/** Every kind of the apiregistration.k8s.io group. */
export const kinds = [
  apiService,
] as unknown as readonly KindDefinition[];
