import type { V1Binding } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const binding = defineKind<V1Binding>({
  group: '',
  version: 'v1',
  kind: 'Binding',
});
