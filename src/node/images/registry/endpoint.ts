import { errorCode } from '../../../base/errors.js';
import type { ImageReference } from '../reference.js';
import type { Authorizer } from './authorizer.js';
import { readBody, type HttpResponse } from './http.js';
import type { RegistryOptions } from './options.js';
import { RegistryError } from './registry-error.js';

const ERROR_BYTES = 64 * 1024;

/** OpenSSL and Node.js say so when the other side speaks no TLS. */
const NO_TLS = new Set(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ECONNREFUSED', 'ECONNRESET']);

/** Where an endpoint is and how it is spoken to. */
export interface EndpointOptions {
  /** Up to the `/v2/`, without a slash at the end. */
  readonly base: URL;
  /** Plain HTTP is tried when TLS does not work. */
  readonly plainToo: boolean;
  readonly options: RegistryOptions;
  /** The registry for which this is a mirror; undefined: it is the registry itself. */
  readonly mirrorOf?: string;
}

/** One place that has an image: a registry or a mirror of it. */
export class Endpoint {
  private base: URL;
  private plainToo: boolean;

  constructor(private readonly how: EndpointOptions, private readonly authorizer: Authorizer) {
    this.base = how.base;
    this.plainToo = how.plainToo;
  }

  get host(): string {
    return this.base.host;
  }

  /** Gets `/v2/<repository>/<path>`. Resolves with an answer of status 200 or 206, otherwise rejects with what the registry says. */
  async get(method: 'GET' | 'HEAD', reference: ImageReference, path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<HttpResponse> {
    const response = await this.send(method, `/v2/${reference.path}/${path}`, `repository:${reference.path}:pull`, headers, signal);
    if (response.status === 200 || response.status === 206) return response;
    throw await failure(response, reference, method, this.base);
  }

  private async send(method: 'GET' | 'HEAD', path: string, scope: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<HttpResponse> {
    const request = (): Promise<HttpResponse> => {
      const url = new URL(this.base.href.replace(/\/$/, '') + path);
      if (this.how.mirrorOf !== undefined) url.searchParams.set('ns', this.how.mirrorOf);
      return this.authorizer.send({ method, url, headers, tls: this.how.options, ...(signal ? { signal } : {}) }, scope);
    };
    try {
      const response = await request();
      this.plainToo = false;
      return response;
    } catch (error) {
      const cause = error instanceof RegistryError ? error.cause : undefined;
      if (!this.plainToo || this.base.protocol !== 'https:' || !NO_TLS.has(errorCode(cause) ?? '')) throw error;
      const secure = this.base;
      this.base = new URL(this.base.href.replace(/^https:/, 'http:'));
      return request().catch((other: unknown) => {
        this.base = secure;
        throw other;
      });
    }
  }
}

async function failure(response: HttpResponse, reference: ImageReference, method: string, base: URL): Promise<RegistryError> {
  const said = await readBody(response.body, ERROR_BYTES, 'error').then(messageOf, () => '');
  const { status } = response;
  if (status === 404) return new RegistryError(`${reference.name}: not found`, status, false);
  if (status === 401 || status === 403) {
    const code = status === 401 ? 'authorization failed' : 'insufficient_scope: authorization failed';
    return new RegistryError(`pull access denied, repository does not exist or may require authorization: ${said || `server message: ${code}`}`, status, false);
  }
  const seconds = Number(response.headers['retry-after']);
  const wait = Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds * 1000 } : {};
  return new RegistryError(`unexpected status from ${method} request to ${base.origin}/v2/${reference.path}: ${status}${said ? `: ${said}` : ''}`, status, status >= 500 || status === 429 || status === 408, wait.retryAfter);
}

function messageOf(body: Buffer): string {
  try {
    const { errors } = JSON.parse(body.toString('utf8')) as { readonly errors?: readonly { readonly code?: unknown; readonly message?: unknown }[] };
    return (errors ?? []).map(({ code, message }) => [code, message].filter((item) => typeof item === 'string' && item !== '').join(': ')).join(', ').slice(0, 500);
  } catch {
    return '';
  }
}
