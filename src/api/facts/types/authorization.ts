import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.authorization.v1`. */
export const authorization: PackageFacts = {
  package: 'io.k8s.api.authorization.v1',
  group: 'authorization.k8s.io',
  version: 'v1',
  plain: `
    NonResourceAttributes ResourceAttributes SelfSubjectAccessReviewSpec SelfSubjectRulesReviewSpec SubjectAccessReviewStatus
  `,
  types: {
    FieldSelectorAttributes: 'requirements +atomic',
    LabelSelectorAttributes: 'requirements +atomic',
    LocalSubjectAccessReview: 'status=',
    NonResourceRule: 'verbs +atomic; nonResourceURLs +atomic',
    ResourceRule: 'verbs +atomic; apiGroups +atomic; resources +atomic; resourceNames +atomic',
    SelfSubjectAccessReview: 'status=',
    SelfSubjectRulesReview: 'status=',
    SubjectAccessReview: 'status=',
    SubjectAccessReviewSpec: 'groups +atomic; extra map[string]ExtraValue',
    SubjectRulesReviewStatus: 'resourceRules +atomic; nonResourceRules +atomic',
  },
};
