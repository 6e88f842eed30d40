import type { V1SelfSubjectRulesReview } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const selfSubjectRulesReview = defineKind<V1SelfSubjectRulesReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectRulesReview',
});
