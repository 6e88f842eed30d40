import { createHash } from 'node:crypto';
import { unauthorizedError } from '../../api/status-error.js';
import type { Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import { parseCertificate, type CertificateFacts } from '../../base/tls/certificate.js';
import { ANY_USAGE, CLIENT_AUTH } from '../../base/tls/extensions.js';
import { pemBlocks } from '../../base/tls/pem.js';
import type { AuthenticationRequest } from './authenticator.js';

/** A certificate that an authority of ours stands behind. */
export interface VerifiedCertificate {
  readonly subject: CertificateFacts['subject'];
  /** SHA-256 of the certificate, lower-case hexadecimal. */
  readonly fingerprint: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

const CACHE_SIZE = 4096;
const MAX_CHAIN = 5;

const allowsClients = ({ extendedKeyUsages }: CertificateFacts): boolean => !extendedKeyUsages || extendedKeyUsages.includes(CLIENT_AUTH) || extendedKeyUsages.includes(ANY_USAGE);

/**
 * Checks client certificates: signed by one of the authorities, perhaps by way of intermediate ones that the client sent along, valid now,
 * and made for client authentication. Signatures are checked once per certificate, the validity each time.
 */
export class ClientCertificateVerifier {
  private readonly authorities: readonly CertificateFacts[];
  private readonly known = new Map<string, VerifiedCertificate>();

  /** @param bundle PEM of the authorities */
  constructor(bundle: string, private readonly clock: Clock) {
    this.authorities = pemBlocks(bundle, 'CERTIFICATE').map(parseCertificate);
  }

  /** Throws the 401. The request must carry a certificate. */
  verify(request: AuthenticationRequest): VerifiedCertificate {
    const bytes = request.clientCertificate!;
    const fingerprint = createHash('sha256').update(bytes).digest('hex');
    let verified = this.known.get(fingerprint);
    if (!verified) {
      verified = this.check(parse(bytes), fingerprint, request.clientChain?.() ?? []);
      if (this.known.size >= CACHE_SIZE) this.known.clear();
      this.known.set(fingerprint, verified);
    }
    const now = this.clock.now();
    if (now < verified.notBefore || now > verified.notAfter) throw unauthorizedError();
    return verified;
  }

  private check(leaf: CertificateFacts, fingerprint: string, sent: readonly Buffer[]): VerifiedCertificate {
    const path = allowsClients(leaf) ? this.pathTo(leaf, sent.slice(0, MAX_CHAIN).map(parse), MAX_CHAIN) : undefined;
    if (!path) throw unauthorizedError();
    return {
      subject: leaf.subject,
      fingerprint,
      notBefore: Math.max(...path.map(({ notBefore }) => notBefore)),
      notAfter: Math.min(...path.map(({ notAfter }) => notAfter)),
    };
  }

  /** From the certificate to an authority of ours. */
  private pathTo(certificate: CertificateFacts, intermediates: readonly CertificateFacts[], left: number): readonly CertificateFacts[] | undefined {
    const signs = (other: CertificateFacts): boolean => other.subjectDer.equals(certificate.issuerDer) && certificate.isSignedBy(other);
    const authority = this.authorities.find(signs);
    if (authority) return [certificate, authority];
    if (left === 0) return undefined;
    for (const intermediate of intermediates) {
      if (!intermediate.isAuthority || !allowsClients(intermediate) || !signs(intermediate)) continue;
      const path = this.pathTo(intermediate, intermediates.filter((other) => other !== intermediate), left - 1);
      if (path) return [certificate, ...path];
    }
    return undefined;
  }
}

function parse(bytes: Buffer): CertificateFacts {
  try {
    return parseCertificate(bytes);
  } catch (error) {
    if (error instanceof KubeError) throw unauthorizedError();
    throw error;
  }
}
