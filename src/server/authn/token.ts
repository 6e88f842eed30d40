import type { UserInfo } from './authenticator.js';

/** What a token turned out to be. */
export interface TokenIdentity {
  readonly user: UserInfo;
  /** Those of the wanted audiences for which the token is valid. */
  readonly audiences: readonly string[];
}

/** Why a token that was meant for an authenticator is not valid. The text is for the log and for TokenReview; HTTP clients get a bare 401. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

/**
 * One kind of bearer token. Returns undefined when the token is not of its kind, throws a {@link TokenError} when it is but does not hold.
 */
export interface TokenAuthenticator {
  authenticateToken(token: string, audiences: readonly string[]): TokenIdentity | undefined | Promise<TokenIdentity | undefined>;
}
