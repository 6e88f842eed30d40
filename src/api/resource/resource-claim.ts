import type { ResourceV1ResourceClaim } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const resourceClaim = defineKind<ResourceV1ResourceClaim>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaim',
});
