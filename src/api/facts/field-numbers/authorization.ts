/** Field numbers in protobuf of the types of `io.k8s.api.authorization.v1`; the notation is explained in index.ts. */
export const authorization: Readonly<Record<string, string>> = {
  FieldSelectorAttributes: 'rawSelector requirements',
  LabelSelectorAttributes: 'rawSelector requirements',
  LocalSubjectAccessReview: 'metadata spec status',
  NonResourceAttributes: 'path verb',
  NonResourceRule: 'verbs nonResourceURLs',
  ResourceAttributes: 'namespace verb group version resource subresource name fieldSelector labelSelector',
  ResourceRule: 'verbs apiGroups resources resourceNames',
  SelfSubjectAccessReview: 'metadata spec status',
  SelfSubjectAccessReviewSpec: 'resourceAttributes nonResourceAttributes',
  SelfSubjectRulesReview: 'metadata spec status',
  SelfSubjectRulesReviewSpec: 'namespace',
  SubjectAccessReview: 'metadata spec status',
  SubjectAccessReviewSpec: 'resourceAttributes nonResourceAttributes user groups extra uid',
  SubjectAccessReviewStatus: 'allowed reason evaluationError denied',
  SubjectRulesReviewStatus: 'resourceRules nonResourceRules incomplete evaluationError',
};
