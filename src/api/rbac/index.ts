import type { KindDefinition } from '../scheme/kind.js';
import { clusterRoleBinding } from './cluster-role-binding.js';
import { clusterRole } from './cluster-role.js';
import { roleBinding } from './role-binding.js';
import { role } from './role.js';

/** Every kind of the rbac.authorization.k8s.io group. */
export const kinds = [
  clusterRoleBinding,
  clusterRole,
  roleBinding,
  role,
] as unknown as readonly KindDefinition[];
