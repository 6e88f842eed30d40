import type { V1CSIStorageCapacity } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const csiStorageCapacity = defineKind<V1CSIStorageCapacity>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
});
