import { createHash } from 'node:crypto';
import { unauthorizedError } from '../../api/status-error.js';
import type { Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import { parseCertificate, type CertificateFacts } from '../../base/tls/certificate.js';
import { ANY_USAGE, CLIENT_AUTH } from '../../base/tls/extensions.js';
import { pemBlocks } from '../../base/tls/pem.js';
import type { AuthenticationRequest, Authenticator, UserInfo } from './authenticator.js';
import { EXTRA } from './users.js';

interface Verified {
  readonly user: UserInfo | undefined;
  readonly notBefore: number;
  readonly notAfter: number;
}

const CACHE_SIZE = 4096;

/**
 * Client certificates: signed by one of our client authorities, valid now, and made for client authentication. The common name is
 * the user, the organizations are the groups. The signature is checked once per certificate, the validity each time.
 */
export class ClientCertificateAuthenticator implements Authenticator {
  readonly name = 'x509';
  private readonly authorities: readonly CertificateFacts[];
  private readonly known = new Map<string, Verified>();

  /** @param bundle PEM of the authorities */
  constructor(bundle: string, private readonly clock: Clock) {
    this.authorities = pemBlocks(bundle, 'CERTIFICATE').map(parseCertificate);
  }

  authenticate(request: AuthenticationRequest): UserInfo | undefined {
    const bytes = request.clientCertificate;
    if (!bytes) return undefined;
    const fingerprint = createHash('sha256').update(bytes).digest('hex');
    let verified = this.known.get(fingerprint);
    if (!verified) {
      verified = this.verify(bytes, fingerprint);
      if (this.known.size >= CACHE_SIZE) this.known.clear();
      this.known.set(fingerprint, verified);
    }
    const now = this.clock.now();
    if (now < verified.notBefore || now > verified.notAfter) throw unauthorizedError();
    return verified.user;
  }

  private verify(bytes: Buffer, fingerprint: string): Verified {
    const facts = this.parse(bytes);
    const issuer = this.authorities.find((authority) => authority.subjectDer.equals(facts.issuerDer) && facts.isSignedBy(authority));
    const usages = facts.extendedKeyUsages;
    if (!issuer || (usages && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE))) throw unauthorizedError();
    const { commonName, organizations } = facts.subject;
    return {
      user: commonName === '' ? undefined : { name: commonName, uid: '', groups: organizations, extra: { [EXTRA.credentialId]: [`X509SHA256=${fingerprint}`] } },
      notBefore: Math.max(facts.notBefore, issuer.notBefore),
      notAfter: Math.min(facts.notAfter, issuer.notAfter),
    };
  }

  private parse(bytes: Buffer): CertificateFacts {
    try {
      return parseCertificate(bytes);
    } catch (error) {
      if (error instanceof KubeError) throw unauthorizedError();
      throw error;
    }
  }
}
