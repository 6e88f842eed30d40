import type { V1Role } from '../generated/types.js';
import { nameIsPathSegment } from '../meta/validation/names.js';
import { defineKind } from '../scheme/kind.js';
import { validateRules } from './rules-validation.js';

export const role = defineKind<V1Role>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  validateName: nameIsPathSegment,
  validate: (object) => validateRules(object.rules, true),
  validateUpdate: (object) => validateRules(object.rules, true),
});
