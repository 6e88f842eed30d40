import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.certificates.v1`. */
export const certificates: PackageFacts = {
  package: 'io.k8s.api.certificates.v1',
  group: 'certificates.k8s.io',
  version: 'v1',
  plain: `
    CertificateSigningRequestList
  `,
  types: {
    CertificateSigningRequest: 'status=',
    CertificateSigningRequestCondition: 'type RequestConditionType; status ConditionStatus; lastUpdateTime=; lastTransitionTime=',
    CertificateSigningRequestSpec: 'expirationSeconds*; usages []KeyUsage +atomic; groups +atomic; extra map[string]ExtraValue',
    CertificateSigningRequestStatus: 'conditions +map(type)',
  },
  enums: {
    KeyUsage:
      'any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|' +
      'email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|' +
      'ocsp signing|s/mime|server auth|signing|timestamping',
  },
};
