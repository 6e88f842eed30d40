import type { V1LocalSubjectAccessReview } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const localSubjectAccessReview = defineKind<V1LocalSubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
});
