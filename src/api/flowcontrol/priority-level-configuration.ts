import type { V1PriorityLevelConfiguration } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const priorityLevelConfiguration = defineKind<V1PriorityLevelConfiguration>({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
});
