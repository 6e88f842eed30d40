import { createHash, timingSafeEqual } from 'node:crypto';
import { unauthorizedError } from '../../api/status-error.js';
import type { AuthenticationRequest, Authenticator, UserInfo } from './authenticator.js';

/** A user with a password. */
export interface PasswordUser {
  readonly password: string;
  readonly user: UserInfo;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** `Authorization: Basic …`, against passwords that are known from the start. Compared in constant time, also for users that do not exist. */
export class BasicAuthenticator implements Authenticator {
  readonly name = 'basic';
  private readonly known: ReadonlyMap<string, { readonly digest: Buffer; readonly user: UserInfo }>;
  private readonly nobody = digest('');

  constructor(users: ReadonlyMap<string, PasswordUser>) {
    this.known = new Map([...users].map(([name, { password, user }]) => [name, { digest: digest(password), user }]));
  }

  authenticate(request: AuthenticationRequest): UserInfo | undefined {
    const { authorization } = request.headers;
    const text = typeof authorization === 'string' ? authorization : authorization?.[0];
    const credentials = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(text?.trim() ?? '')?.[1];
    if (credentials === undefined) return undefined;
    const decoded = Buffer.from(credentials, 'base64').toString('utf8');
    const colon = decoded.indexOf(':');
    if (colon < 0) return undefined;
    const entry = this.known.get(decoded.slice(0, colon));
    const same = timingSafeEqual(digest(decoded.slice(colon + 1)), entry?.digest ?? this.nobody);
    if (!entry || !same) throw unauthorizedError();
    return entry.user;
  }
}
