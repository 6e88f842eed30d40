import type { V1Node } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const node = defineKind<V1Node>({
  group: '',
  version: 'v1',
  kind: 'Node',
});
