import type { V1SubjectAccessReview, V1SubjectAccessReviewSpec } from '../generated/types.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { defineKind } from '../scheme/kind.js';
import { validateAttributesChoice, validateNoMetadata, validateResourceAttributes } from './access-review.js';

export const subjectAccessReview = defineKind<V1SubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  validate: (object) => [...validateReviewSpec(object.spec ?? {}), ...validateNoMetadata(object.metadata, 'must be empty')],
});

/** Rules of a review about somebody. */
export function validateReviewSpec(spec: V1SubjectAccessReviewSpec): FieldError[] {
  const errors = validateAttributesChoice(spec);
  if (!spec.user && (spec.groups?.length ?? 0) === 0) {
    errors.push(invalid(FieldPath.of('spec', 'user'), spec.user ?? '', 'at least one of user or group must be specified'));
  }
  return [...errors, ...validateResourceAttributes(spec.resourceAttributes)];
}
