import type { V1ResourceClaimTemplate } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const resourceClaimTemplate = defineKind<V1ResourceClaimTemplate>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaimTemplate',
});
