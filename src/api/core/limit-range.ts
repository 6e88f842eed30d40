import type { V1LimitRange } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const limitRange = defineKind<V1LimitRange>({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
});
