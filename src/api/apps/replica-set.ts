import type { V1ReplicaSet } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const replicaSet = defineKind<V1ReplicaSet>({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
});
