import { unauthorizedError } from '../../api/status-error.js';
import type { AuthenticationRequest, Authenticator, UserInfo } from './authenticator.js';
import type { ClientCertificateVerifier } from './certificate-verifier.js';
import { EXTRA } from './users.js';

/** Client certificates: the common name is the user, the organizations are the groups, and the attribute 1.3.6.1.4.1.57683.2 is the uid. */
export class ClientCertificateAuthenticator implements Authenticator {
  readonly name = 'x509';

  constructor(private readonly verifier: ClientCertificateVerifier) {}

  authenticate(request: AuthenticationRequest): UserInfo | undefined {
    if (!request.clientCertificate) return undefined;
    const { subject, fingerprint } = this.verifier.verify(request);
    const { commonName, organizations, uids } = subject;
    if (commonName === '') return undefined;
    if (uids.length > 1 || uids[0] === '') throw unauthorizedError();
    return { name: commonName, uid: uids[0] ?? '', groups: organizations, extra: { [EXTRA.credentialId]: [`X509SHA256=${fingerprint}`] } };
  }
}
