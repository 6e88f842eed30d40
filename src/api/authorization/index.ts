import type { KindDefinition } from '../scheme/kind.js';
import { localSubjectAccessReview } from './local-subject-access-review.js';
import { selfSubjectAccessReview } from './self-subject-access-review.js';
import { selfSubjectRulesReview } from './self-subject-rules-review.js';
import { subjectAccessReview } from './subject-access-review.js';

/** Every kind of the authorization.k8s.io group. */
export const kinds = [
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
] as unknown as readonly KindDefinition[];
