import type { V1SelfSubjectAccessReview } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';
import { validateAttributesChoice, validateNoMetadata, validateResourceAttributes } from './access-review.js';

export const selfSubjectAccessReview = defineKind<V1SelfSubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  validate: (object) => [
    ...validateAttributesChoice(object.spec ?? {}),
    ...validateResourceAttributes(object.spec?.resourceAttributes),
    ...validateNoMetadata(object.metadata, 'must be empty'),
  ],
});
