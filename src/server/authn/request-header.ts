import { unauthorizedError } from '../../api/status-error.js';
import type { AuthenticationRequest, Authenticator, UserInfo } from './authenticator.js';
import type { ClientCertificateVerifier } from './certificate-verifier.js';
import { headerValues, prefixedHeaders } from './header-values.js';

/** How a proxy in front says who makes a request. Names in any case. */
export interface RequestHeaderOptions {
  /** PEM bundle: only clients with a certificate of these authorities are believed. */
  readonly clientCa: string;
  /** Common names of such clients; empty: all of them. */
  readonly allowedNames: readonly string[];
  /** The first header with a value counts. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** All values of all headers count. */
  readonly groupHeaders: readonly string[];
  readonly extraHeadersPrefixes: readonly string[];
}

const lower = (names: readonly string[]): readonly string[] => names.map((name) => name.trim().toLowerCase());

/** Which headers name somebody, so that they are not handed on to what stands behind a proxy. */
export interface IdentityHeaders {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

/** The usual ones and those of the options, as upstream takes them away. */
export function namingHeaders(options: RequestHeaderOptions | undefined): IdentityHeaders {
  const own = lower([...(options?.usernameHeaders ?? []), ...(options?.uidHeaders ?? []), ...(options?.groupHeaders ?? [])]);
  return { names: new Set(['authorization', 'x-remote-user', 'x-remote-uid', 'x-remote-group', ...own]), prefixes: ['x-remote-extra-', 'impersonate-', ...lower(options?.extraHeadersPrefixes ?? [])] };
}

/** Names of the headers without which nobody is named, in lower case. */
export const identityHeaders = (options: RequestHeaderOptions | undefined): readonly string[] => lower(options?.usernameHeaders ?? []);

/** Identities that a proxy in front passes on in headers, vouched for by the proxy's client certificate. */
export class RequestHeaderAuthenticator implements Authenticator {
  readonly name = 'request-header';
  private readonly usernames: readonly string[];
  private readonly uids: readonly string[];
  private readonly groups: readonly string[];
  private readonly extras: readonly string[];

  constructor(private readonly options: RequestHeaderOptions, private readonly verifier: ClientCertificateVerifier) {
    this.usernames = lower(options.usernameHeaders);
    this.uids = lower(options.uidHeaders);
    this.groups = lower(options.groupHeaders);
    this.extras = lower(options.extraHeadersPrefixes);
  }

  authenticate(request: AuthenticationRequest): UserInfo | undefined {
    if (!request.clientCertificate) return undefined;
    const { commonName } = this.verifier.verify(request).subject;
    const { allowedNames } = this.options;
    if (allowedNames.length > 0 && !allowedNames.includes(commonName)) throw unauthorizedError();
    const raw = request.rawHeaders ?? [];
    const first = (names: readonly string[]): string => names.map((name) => headerValues(raw, name)[0] ?? '').find((value) => value !== '') ?? '';
    const name = first(this.usernames);
    if (name === '') return undefined;
    const extra: Record<string, readonly string[]> = {};
    for (const prefix of this.extras) {
      for (const [key, values] of Object.entries(prefixedHeaders(raw, prefix))) extra[key] = [...(extra[key] ?? []), ...values];
    }
    return { name, uid: first(this.uids), groups: this.groups.flatMap((header) => headerValues(raw, header)).filter((group) => group !== ''), extra };
  }
}
