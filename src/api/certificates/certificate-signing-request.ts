import type { V1CertificateSigningRequest } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const certificateSigningRequest = defineKind<V1CertificateSigningRequest>({
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
});
