import type { ServerContext } from '../server-context.js';
import { BearerAuthenticator, TokenUnion } from './bearer.js';
import { BootstrapTokenAuthenticator } from './bootstrap-token.js';
import { ClientCertificateAuthenticator } from './client-certificate.js';
import { tokenKeys } from './issuer-discovery.js';
import { ServiceAccountTokenAuthenticator } from './service-account-token.js';
import { StaticTokenAuthenticator } from './static-token.js';
import type { TokenAuthenticator } from './token.js';
import { UnionAuthenticator } from './union.js';

/** How requests are authenticated, and tokens alone (for TokenReview). */
export interface Authentication {
  readonly requests: UnionAuthenticator;
  readonly tokens: TokenAuthenticator;
}

/** Client certificates, static tokens, service-account tokens, bootstrap tokens, and the anonymous user when it is wanted. */
export function assembleAuthentication(context: ServerContext): Authentication {
  const { options, view, clock } = context;
  const tokens = new TokenUnion([
    new StaticTokenAuthenticator(options.staticTokens ?? new Map(), options.apiAudiences),
    new ServiceAccountTokenAuthenticator({ issuer: options.serviceAccountIssuer, keys: tokenKeys(options), apiAudiences: options.apiAudiences, view, clock }),
    new BootstrapTokenAuthenticator(view, clock, options.apiAudiences),
  ]);
  const requests = new UnionAuthenticator(
    [
      ...(options.clientCa === '' ? [] : [new ClientCertificateAuthenticator(options.clientCa, clock)]),
      new BearerAuthenticator(tokens, options.apiAudiences, context.log),
    ],
    options.anonymousAuth,
  );
  return { requests, tokens };
}
