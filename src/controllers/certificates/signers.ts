import type { V1CertificateSigningRequest } from '../../api/generated/types.js';
import { parseCsr, type CertificateRequest } from '../../base/tls/csr.js';

/** Signers that are built in; others are somebody else's. */
export const KUBE_APISERVER_CLIENT = 'kubernetes.io/kube-apiserver-client';
export const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
export const KUBELET_SERVING = 'kubernetes.io/kubelet-serving';
export const LEGACY_UNKNOWN = 'kubernetes.io/legacy-unknown';

const CLIENT_USAGES = ['digital signature', 'key encipherment', 'client auth'];
const SERVING_USAGES = ['digital signature', 'key encipherment', 'server auth'];

/** Decodes the request of an object; undefined when it is not one. */
export function requestOf(object: V1CertificateSigningRequest): CertificateRequest | undefined {
  try {
    return parseCsr(Buffer.from(object.spec?.request ?? '', 'base64').toString());
  } catch {
    return undefined;
  }
}

/** Key encipherment is for RSA keys and may be left out. */
function usageRefusal(usages: readonly string[], wanted: readonly string[]): string | undefined {
  const same = usages.every((usage) => wanted.includes(usage)) && wanted.every((usage) => usage === 'key encipherment' || usages.includes(usage));
  return same ? undefined : `usages did not match [${[...wanted].sort().join(' ')}]`;
}

/** Why a built-in signer refuses a request; undefined when it signs it. The rules are upstream's, documented for each signer. */
export function refusal(signerName: string, request: CertificateRequest, usages: readonly string[]): string | undefined {
  switch (signerName) {
    case KUBE_APISERVER_CLIENT:
      return apiServerClientRefusal(usages);
    case KUBELET_CLIENT:
      return kubeletClientRefusal(request, usages);
    case KUBELET_SERVING:
      return kubeletServingRefusal(request, usages);
    default:
      return undefined;
  }
}

function apiServerClientRefusal(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !CLIENT_USAGES.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

/** Whether a request is one for the client certificate of a node agent. */
export function kubeletClientRefusal(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (request.organizations.length !== 1 || request.organizations[0] !== 'system:nodes') return 'subject organization is not system:nodes';
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  if (!request.commonName.startsWith('system:node:')) return 'subject common name does not begin with system:node:';
  return usageRefusal(usages, CLIENT_USAGES);
}

function kubeletServingRefusal(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (request.organizations.length !== 1 || request.organizations[0] !== 'system:nodes') return 'subject organization is not system:nodes';
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  const refused = usageRefusal(usages, SERVING_USAGES);
  if (refused !== undefined) return refused;
  return request.commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';
}
