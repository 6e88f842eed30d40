import type { V1SubjectAccessReview } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const subjectAccessReview = defineKind<V1SubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
});
