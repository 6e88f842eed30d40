import type { KindDefinition } from '../scheme/kind.js';
import { selfSubjectReview } from './self-subject-review.js';
import { tokenReview } from './token-review.js';

/** Every kind of the authentication.k8s.io group. */
export const kinds = [
  selfSubjectReview,
  tokenReview,
] as unknown as readonly KindDefinition[];
