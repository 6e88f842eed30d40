import type { V1SelfSubjectReview } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const selfSubjectReview = defineKind<V1SelfSubjectReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
});
