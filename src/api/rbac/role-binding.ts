import type { V1RoleBinding } from '../generated/types.js';
import { nameIsPathSegment } from '../meta/validation/names.js';
import { defineKind } from '../scheme/kind.js';
import { BINDING_COLUMNS, defaultBinding, validateBinding, validateRoleRefUpdate } from './bindings.js';

const ROLE_KINDS = ['Role', 'ClusterRole'];

export const roleBinding = defineKind<V1RoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  validateName: nameIsPathSegment,
  defaults: defaultBinding,
  validate: (object) => validateBinding(object, ROLE_KINDS, true),
  validateUpdate: (object, old) => [...validateBinding(object, ROLE_KINDS, true), ...validateRoleRefUpdate(object, old)],
  columns: BINDING_COLUMNS,
});
