import type { V1Pod } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const pod = defineKind<V1Pod>({
  group: '',
  version: 'v1',
  kind: 'Pod',
});
