import type { V1EndpointSlice } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const endpointSlice = defineKind<V1EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
});
