import type { Clock } from '../../../base/clock.js';
import type { ImageAuth } from '../../runtime/index.js';
import { parseJson } from '../oci.js';
import { parseChallenges } from './challenge.js';
import { readBody, type HttpClient, type HttpRequest, type HttpResponse } from './http.js';
import { RegistryError } from './registry-error.js';

/** Tokens live so long when the service does not say; the distribution specification's default. */
const DEFAULT_LIFE = 60_000;

/** A token is renewed so long before its end. */
const EARLY = 10_000;
const TOKEN_BYTES = 1024 ** 2;
const CLIENT_ID = 'kube';

interface Token {
  readonly header: string;
  /** Monotonic. */
  readonly until: number;
}

/**
 * Answers the challenges of one registry for one user: none, Basic, or Bearer by a token service (the distribution project's token and
 * OAuth 2 flows, with refresh tokens). Tokens are kept for one scope and renewed.
 */
export class Authorizer {
  private readonly tokens = new Map<string, Token>();

  constructor(private readonly http: HttpClient, private readonly clock: Clock, private readonly auth: ImageAuth | undefined) {}

  /** Sends a request as this user, answering at most one challenge. `scope`: `repository:library/busybox:pull`. */
  async send(request: HttpRequest, scope: string): Promise<HttpResponse> {
    const known = this.tokens.get(scope);
    const header = known && known.until > this.clock.monotonic() ? known.header : undefined;
    const response = await this.http.send(withAuthorization(request, header));
    if (response.status !== 401) return response;
    const challenge = response.headers['www-authenticate'] ?? '';
    const fresh = await this.answer(challenge, request, scope);
    if (fresh === undefined || fresh.header === header) {
      this.tokens.delete(scope);
      return response;
    }
    response.body.destroy();
    this.tokens.set(scope, fresh);
    const again = await this.http.send(withAuthorization(request, fresh.header));
    if (again.status === 401) this.tokens.delete(scope);
    return again;
  }

  private async answer(header: string, request: HttpRequest, scope: string): Promise<Token | undefined> {
    const { auth } = this;
    for (const { scheme, parameters } of parseChallenges(header)) {
      if (scheme === 'bearer') {
        if (auth?.registryToken) return { header: `Bearer ${auth.registryToken}`, until: Infinity };
        if (parameters.realm) return this.token(parameters.realm, parameters.service ?? '', parameters.scope ?? scope, request);
      }
      if (scheme === 'basic' && auth && (auth.username !== '' || auth.password !== '')) return { header: basic(auth), until: Infinity };
    }
    return undefined;
  }

  private async token(realm: string, service: string, scope: string, request: HttpRequest): Promise<Token> {
    if (!URL.canParse(realm)) throw new RegistryError(`${request.url.host} names "${realm.slice(0, 200)}" as its token service, which is no URL`, 401, false);
    const url = new URL(realm);
    const what = `the token service ${url.origin}${url.pathname}`;
    if (url.protocol !== 'https:' && (url.protocol !== 'http:' || (this.auth && request.url.protocol === 'https:'))) {
      throw new RegistryError(`${what} of ${request.url.host} does not use TLS; credentials are not sent there`, 401, false);
    }
    const tls = url.hostname === request.url.hostname ? request.tls : request.tls.ca ? { ca: request.tls.ca } : {};
    const common = { tls, ...(request.signal ? { signal: request.signal } : {}) };
    const begun = this.clock.monotonic();
    let response: HttpResponse;
    if (this.auth?.identityToken) {
      const form = new URLSearchParams({ grant_type: 'refresh_token', service, client_id: CLIENT_ID, scope, refresh_token: this.auth.identityToken });
      response = await this.http.send({ ...common, method: 'POST', url, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form.toString() });
    } else {
      if (service !== '') url.searchParams.set('service', service);
      // Several scopes in one challenge are separate parameters.
      for (const one of scope.split(' ').filter((part) => part !== '')) url.searchParams.append('scope', one);
      response = await this.http.send({ ...common, method: 'GET', url, headers: this.auth ? { authorization: basic(this.auth) } : {} });
    }
    const body = await readBody(response.body, TOKEN_BYTES, `the answer of ${what}`);
    if (response.status !== 200) {
      const temporary = response.status >= 500 || response.status === 429;
      throw new RegistryError(`failed to authorize: failed to fetch ${this.auth ? 'oauth' : 'anonymous'} token: unexpected status from ${this.auth?.identityToken ? 'POST' : 'GET'} request to ${url.origin}${url.pathname}: ${response.status}`, response.status, temporary);
    }
    const json = parseJson(body, `the answer of ${what}`, TOKEN_BYTES);
    const value = [json.token, json.access_token].find((item): item is string => typeof item === 'string' && item !== '');
    if (value === undefined || /[\r\n]/.test(value)) throw new RegistryError(`${what} gave no token`, response.status, false);
    const life = typeof json.expires_in === 'number' && json.expires_in > 0 ? json.expires_in * 1000 : DEFAULT_LIFE;
    return { header: `Bearer ${value}`, until: begun + Math.max(life - EARLY, life / 2) };
  }
}

function withAuthorization(request: HttpRequest, header: string | undefined): HttpRequest {
  return header === undefined ? request : { ...request, headers: { ...request.headers, authorization: header } };
}

function basic({ username, password }: ImageAuth): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
