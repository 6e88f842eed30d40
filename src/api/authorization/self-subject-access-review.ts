import type { V1SelfSubjectAccessReview } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const selfSubjectAccessReview = defineKind<V1SelfSubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
});
