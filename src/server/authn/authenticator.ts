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
  /** Names and values in turn, as sent: for headers that may be there several times. */
  readonly rawHeaders?: readonly string[];
  /** Decoded path; empty where it does not matter. */
  readonly path?: string;
  /** DER of the client's leaf certificate, when one was sent. */
  readonly clientCertificate?: Buffer;
  /** DER of the certificates that the client sent along with it. */
  readonly clientChain?: () => readonly Buffer[];
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
