import type { KindDefinition } from '../scheme/kind.js';
import { deviceClass } from './device-class.js';
import { resourceClaim } from './resource-claim.js';
import { resourceClaimTemplate } from './resource-claim-template.js';
import { resourceSlice } from './resource-slice.js';

/** Every kind of the resource.k8s.io group. */
export const kinds = [
  deviceClass,
  resourceClaim,
  resourceClaimTemplate,
  resourceSlice,
] as unknown as readonly KindDefinition[];
