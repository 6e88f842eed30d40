import type { V1ResourceSlice } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const resourceSlice = defineKind<V1ResourceSlice>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceSlice',
});
