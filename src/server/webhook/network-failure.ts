import { isIP } from 'node:net';
import { checkServerIdentity as checkNames, type PeerCertificate } from 'node:tls';
import { errorCode, errorMessage } from '../../base/errors.js';
import { authorityOf } from '../nodeproxy/node-endpoint.js';
import type { Endpoint } from './service-endpoint.js';

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_SIGNATURE_FAILURE',
]);
const CONNECT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused', EHOSTUNREACH: 'no route to host', ENETUNREACH: 'network is unreachable', ETIMEDOUT: 'connection timed out', EACCES: 'permission denied',
};

/** A certificate that does not prove who the webhook is; the message is upstream's. */
class CertificateNameError extends Error {
  override readonly name = 'CertificateNameError';
}

/** What went wrong on the way to a webhook, as upstream's clients say it. */
export function networkFailureText(error: unknown, endpoint: Endpoint): string {
  const code = errorCode(error) ?? '';
  if (error instanceof CertificateNameError) return certificateText(error.message);
  if (UNKNOWN_AUTHORITY.has(code)) return certificateText('certificate signed by unknown authority');
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return certificateText('certificate has expired or is not yet valid');
  if (code === 'EPROTO' && errorMessage(error).includes('wrong version number')) return 'http: server gave HTTP response to HTTPS client';
  const { address, port, syscall, hostname } = error as { readonly address?: string; readonly port?: number; readonly syscall?: string; readonly hostname?: string };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname ?? endpoint.host}: no such host`;
  const connect = CONNECT[code];
  if (connect !== undefined && syscall !== 'read' && syscall !== 'write') return `dial tcp ${authorityOf(address ?? endpoint.host, port ?? endpoint.port)}: connect: ${connect}`;
  if (code === 'ECONNRESET') return syscall === 'read' ? 'read: connection reset by peer' : 'EOF';
  return errorMessage(error);
}

/** Compares the names in a certificate with the one that was called. Unlike Node's own check, a common name is no name. */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const names = (certificate.subjectaltname ?? '').split(', ');
  const of = (prefix: string): string[] => names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  if (isIP(host) !== 0) {
    const addresses = of('IP Address:');
    if (addresses.length === 0) return new CertificateNameError(`cannot validate certificate for ${host} because it doesn't contain any IP SANs`);
    return checkNames(host, certificate) && new CertificateNameError(`certificate is valid for ${addresses.join(', ')}, not ${host}`);
  }
  const wrong = checkNames(host, certificate);
  if (!certificate.subjectaltname) {
    return new CertificateNameError(wrong ? `certificate is not valid for any names, but wanted to match ${host}` : 'certificate relies on legacy Common Name field, use SANs instead');
  }
  if (!wrong) return undefined;
  const valid = of('DNS:');
  return new CertificateNameError(valid.length === 0 ? `certificate is not valid for any names, but wanted to match ${host}` : `certificate is valid for ${valid.join(', ')}, not ${host}`);
}

function certificateText(text: string): string {
  return `tls: failed to verify certificate: x509: ${text}`;
}
