import type { V1ClusterRoleBinding } from '../generated/types.js';
import { nameIsPathSegment } from '../meta/validation/names.js';
import { defineKind } from '../scheme/kind.js';
import { BINDING_COLUMNS, defaultBinding, validateBinding, validateRoleRefUpdate } from './bindings.js';

const ROLE_KINDS = ['ClusterRole'];

export const clusterRoleBinding = defineKind<V1ClusterRoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  validateName: nameIsPathSegment,
  defaults: defaultBinding,
  validate: (object) => validateBinding(object, ROLE_KINDS, false),
  validateUpdate: (object, old) => [...validateBinding(object, ROLE_KINDS, false), ...validateRoleRefUpdate(object, old)],
  columns: BINDING_COLUMNS,
});
