import type { V1Secret } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const secret = defineKind<V1Secret>({
  group: '',
  version: 'v1',
  kind: 'Secret',
});
