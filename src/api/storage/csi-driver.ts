import type { V1CSIDriver } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const csiDriver = defineKind<V1CSIDriver>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
});
