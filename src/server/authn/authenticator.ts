/** Who makes a request. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What authenticators may look at. */
export interface AuthenticationRequest {
  /** Lower-case header names; repeated headers as arrays. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** DER of the client's leaf certificate, when one was sent. */
  readonly clientCertificate?: Buffer;
  /** Set on WebSocket upgrades that carry the token as a sub-protocol. */
  readonly bearerToken?: string;
}

/**
 * One way to prove an identity. Returns undefined when the request carries nothing for it; throws
 * a 401 `StatusError` when it carries something that is wrong. A union tries them in order.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(request: AuthenticationRequest): Promise<UserInfo | undefined> | UserInfo | undefined;
}
