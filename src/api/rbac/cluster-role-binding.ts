import type { V1ClusterRoleBinding } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const clusterRoleBinding = defineKind<V1ClusterRoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
});
