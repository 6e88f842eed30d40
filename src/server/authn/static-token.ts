import { createHash, timingSafeEqual } from 'node:crypto';
import type { UserInfo } from './authenticator.js';
import type { TokenAuthenticator, TokenIdentity } from './token.js';

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Tokens that are known from the start. Compared in constant time. */
export class StaticTokenAuthenticator implements TokenAuthenticator {
  private readonly known: readonly { readonly digest: Buffer; readonly user: UserInfo }[];

  constructor(tokens: ReadonlyMap<string, UserInfo>, private readonly apiAudiences: readonly string[]) {
    this.known = [...tokens].map(([token, user]) => ({ digest: digest(token), user }));
  }

  authenticateToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
    if (this.known.length === 0) return undefined;
    const sent = digest(token);
    let user: UserInfo | undefined;
    for (const entry of this.known) if (timingSafeEqual(entry.digest, sent)) user = entry.user;
    const valid = this.apiAudiences.filter((audience) => audiences.includes(audience));
    return user && (valid.length > 0 || this.apiAudiences.length === 0) ? { user, audiences: valid } : undefined;
  }
}
