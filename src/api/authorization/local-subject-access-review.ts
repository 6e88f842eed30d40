import type { V1LocalSubjectAccessReview } from '../generated/types.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { defineKind } from '../scheme/kind.js';
import { validateNoMetadata } from './access-review.js';
import { validateReviewSpec } from './subject-access-review.js';

export const localSubjectAccessReview = defineKind<V1LocalSubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
  validate,
});

function validate(object: V1LocalSubjectAccessReview): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = object.spec ?? {};
  const errors = [...validateReviewSpec(object.spec ?? {}), ...validateNoMetadata(object.metadata, 'must be empty except for namespace', ['namespace'])];
  const namespace = resourceAttributes?.namespace ?? '';
  if (resourceAttributes !== undefined && namespace !== (object.metadata?.namespace ?? '')) {
    errors.push(invalid(FieldPath.of('spec.resourceAttributes.namespace'), namespace, 'must match metadata.namespace'));
  }
  if (nonResourceAttributes !== undefined) {
    const shown = { Path: nonResourceAttributes.path ?? '', Verb: nonResourceAttributes.verb ?? '' };
    errors.push(invalid(FieldPath.of('spec.nonResourceAttributes'), shown, 'disallowed on this kind of request'));
  }
  return errors;
}
