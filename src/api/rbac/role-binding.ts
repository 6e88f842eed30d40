import type { V1RoleBinding } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const roleBinding = defineKind<V1RoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
});
