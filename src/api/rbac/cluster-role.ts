import type { V1ClusterRole } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const clusterRole = defineKind<V1ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
});
