import type { ServerContext } from '../server-context.js';
import type { Authenticator } from './authenticator.js';
import { BasicAuthenticator } from './basic.js';
import { BearerAuthenticator, TokenUnion } from './bearer.js';
import { BootstrapTokenAuthenticator } from './bootstrap-token.js';
import { ClientCertificateVerifier } from './certificate-verifier.js';
import { ClientCertificateAuthenticator } from './client-certificate.js';
import { tokenKeys } from './issuer-discovery.js';
import { LegacyTokenUse } from './legacy-token-use.js';
import { RequestHeaderAuthenticator } from './request-header.js';
import { ServiceAccountTokenAuthenticator } from './service-account-token.js';
import { StaticTokenAuthenticator } from './static-token.js';
import type { TokenAuthenticator } from './token.js';
import { UnionAuthenticator } from './union.js';

/** How requests are authenticated, and tokens alone (for TokenReview). */
export interface Authentication {
  readonly requests: UnionAuthenticator;
  readonly tokens: TokenAuthenticator;
}

/**
 * In upstream's order: identities from a proxy in front, client certificates, passwords, tokens (static, of service accounts, bootstrap),
 * and the anonymous user where it is wanted.
 */
export function assembleAuthentication(context: ServerContext): Authentication {
  const { options, view, clock, log } = context;
  const uses = new LegacyTokenUse(context);
  const tokens = new TokenUnion([
    new StaticTokenAuthenticator(options.staticTokens ?? new Map(), options.apiAudiences),
    new ServiceAccountTokenAuthenticator({ issuer: options.serviceAccountIssuer, keys: tokenKeys(options), apiAudiences: options.apiAudiences, view, clock, legacyUsed: (secret) => uses.note(secret) }),
    new BootstrapTokenAuthenticator(view, clock, options.apiAudiences, log),
  ]);
  const { requestHeader, passwordUsers } = options;
  const members: readonly Authenticator[] = [
    ...(requestHeader ? [new RequestHeaderAuthenticator(requestHeader, new ClientCertificateVerifier(requestHeader.clientCa, clock))] : []),
    ...(options.clientCa === '' ? [] : [new ClientCertificateAuthenticator(new ClientCertificateVerifier(options.clientCa, clock))]),
    ...(passwordUsers ? [new BasicAuthenticator(passwordUsers)] : []),
    new BearerAuthenticator(tokens, options.apiAudiences, log),
  ];
  const paths = options.anonymousPaths ?? [];
  return { requests: new UnionAuthenticator(members, options.anonymousAuth && paths.length > 0 ? new Set(paths) : options.anonymousAuth), tokens };
}
