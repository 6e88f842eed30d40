import { unauthorizedError } from '../../api/status-error.js';
import type { Logger } from '../../base/log.js';
import type { AuthenticationRequest, Authenticator, UserInfo } from './authenticator.js';
import { TokenError, type TokenAuthenticator, type TokenIdentity } from './token.js';

/** Tries the kinds of tokens in order; throws the first {@link TokenError} when none accepts the token. */
export class TokenUnion implements TokenAuthenticator {
  constructor(private readonly members: readonly TokenAuthenticator[]) {}

  async authenticateToken(token: string, audiences: readonly string[]): Promise<TokenIdentity | undefined> {
    let failure: TokenError | undefined;
    for (const member of this.members) {
      try {
        const result = member.authenticateToken(token, audiences);
        const identity = result instanceof Promise ? await result : result;
        if (identity) return identity;
      } catch (error) {
        if (!(error instanceof TokenError)) throw error;
        failure ??= error;
      }
    }
    if (failure) throw failure;
    return undefined;
  }
}

/** `Authorization: Bearer …`, or the token that a WebSocket carries as a sub-protocol. */
export class BearerAuthenticator implements Authenticator {
  readonly name = 'bearer';

  constructor(
    private readonly tokens: TokenAuthenticator,
    private readonly apiAudiences: readonly string[],
    private readonly log: Logger,
  ) {}

  async authenticate(request: AuthenticationRequest): Promise<UserInfo | undefined> {
    const token = bearerToken(request.headers['authorization']) ?? request.bearerToken;
    if (token === undefined || token === '') return undefined;
    try {
      const identity = await this.tokens.authenticateToken(token, this.apiAudiences);
      if (identity) return identity.user;
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      this.log.debug('bearer token refused', { reason: error.message });
    }
    throw unauthorizedError();
  }
}

function bearerToken(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header : header?.[0];
  if (text === undefined) return undefined;
  const parts = text.trim().split(' ');
  return parts.length >= 2 && parts[0]!.toLowerCase() === 'bearer' ? Buffer.from(parts[1]!, 'latin1').toString('utf8') : undefined;
}
