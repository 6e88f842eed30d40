import type { V1ReplicationController } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const replicationController = defineKind<V1ReplicationController>({
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
});
