import type { V1Lease } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const lease = defineKind<V1Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
});
