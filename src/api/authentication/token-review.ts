import type { V1TokenReview } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const tokenReview = defineKind<V1TokenReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
});
