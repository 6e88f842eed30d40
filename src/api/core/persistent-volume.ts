import type { V1PersistentVolume } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const persistentVolume = defineKind<V1PersistentVolume>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
});
