import type { V1StorageClass } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const storageClass = defineKind<V1StorageClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
});
