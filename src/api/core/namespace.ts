import type { V1Namespace } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const namespace = defineKind<V1Namespace>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
});
