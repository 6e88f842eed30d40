import type { V1ConfigMap } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const configMap = defineKind<V1ConfigMap>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
});
