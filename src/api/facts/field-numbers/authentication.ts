/** Field numbers in protobuf of the types of `io.k8s.api.authentication.v1`; the notation is explained in index.ts. */
export const authentication: Readonly<Record<string, string>> = {
  BoundObjectReference: 'kind apiVersion name uid',
  SelfSubjectReview: 'metadata status',
  SelfSubjectReviewStatus: 'userInfo',
  TokenRequest: 'metadata spec status',
  TokenRequestSpec: 'audiences boundObjectRef:3 expirationSeconds',
  TokenRequestStatus: 'token expirationTimestamp',
  TokenReview: 'metadata spec status',
  TokenReviewSpec: 'token audiences',
  TokenReviewStatus: 'authenticated user error audiences',
  UserInfo: 'username uid groups extra',
};
