import type { V1CSINode } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const csiNode = defineKind<V1CSINode>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
});
