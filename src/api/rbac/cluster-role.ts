import type { V1ClusterRole } from '../generated/types.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { selectorHasInvalidLabelValue, validateLabelSelector } from '../meta/validation/label-selector.js';
import { nameIsPathSegment } from '../meta/validation/names.js';
import { defineKind } from '../scheme/kind.js';
import { validateRules } from './rules-validation.js';

export const clusterRole = defineKind<V1ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  validateName: nameIsPathSegment,
  validate: (object) => validate(object, undefined),
  validateUpdate: validate,
});

function validate(object: V1ClusterRole, old: V1ClusterRole | undefined): FieldError[] {
  const errors = validateRules(object.rules, false);
  if (object.aggregationRule === undefined) return errors;
  const path = FieldPath.of('aggregationRule', 'clusterRoleSelectors');
  const selectors = object.aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  const allowInvalidLabelValueInSelector = (old?.aggregationRule?.clusterRoleSelectors ?? []).some(selectorHasInvalidLabelValue);
  selectors.forEach((selector, i) => {
    errors.push(...validateLabelSelector(selector, path.index(i), { allowInvalidLabelValueInSelector }));
    if (validateLabelSelector(selector, path.index(i)).length > 0) errors.push(invalid(path.index(i), null, 'invalid label selector.'));
  });
  return errors;
}
