import type { V1RuntimeClass } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const runtimeClass = defineKind<V1RuntimeClass>({
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
});
