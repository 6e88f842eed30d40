import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.authentication.v1`. */
export const authentication: PackageFacts = {
  package: 'io.k8s.api.authentication.v1',
  group: 'authentication.k8s.io',
  version: 'v1',
  plain: `
  `,
  types: {
    BoundObjectReference: 'uid types.UID',
    SelfSubjectReview: 'status=',
    SelfSubjectReviewStatus: 'userInfo=',
    TokenRequest: 'spec=!; status=',
    TokenRequestSpec: 'audiences! +atomic; expirationSeconds*!; boundObjectRef!',
    TokenRequestStatus: 'token!; expirationTimestamp=!',
    TokenReview: 'status=',
    TokenReviewSpec: 'token?; audiences +atomic',
    TokenReviewStatus: 'user=; audiences +atomic',
    UserInfo: 'groups +atomic; extra map[string]ExtraValue',
  },
};
