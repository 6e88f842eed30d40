/** Field numbers in protobuf of the types of `io.k8s.api.certificates.v1`; the notation is explained in index.ts. */
export const certificates: Readonly<Record<string, string>> = {
  CertificateSigningRequest: 'metadata spec status',
  CertificateSigningRequestCondition: 'type reason message lastUpdateTime lastTransitionTime status',
  CertificateSigningRequestList: 'metadata items',
  CertificateSigningRequestSpec: 'request username uid groups usages extra signerName expirationSeconds',
  CertificateSigningRequestStatus: 'conditions certificate',
};
