import type { V1Role } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const role = defineKind<V1Role>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
});
