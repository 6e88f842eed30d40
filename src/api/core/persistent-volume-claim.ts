import type { V1PersistentVolumeClaim } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const persistentVolumeClaim = defineKind<V1PersistentVolumeClaim>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
});
