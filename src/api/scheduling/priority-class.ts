import type { V1PriorityClass } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const priorityClass = defineKind<V1PriorityClass>({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
});
