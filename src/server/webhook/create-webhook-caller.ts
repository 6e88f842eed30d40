import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import path from 'node:path';
import { createSecureContext, type ConnectionOptions, type SecureContext } from 'node:tls';
import type { Clock } from '../../base/clock.js';
import type { Random } from '../../base/random.js';
import { run } from '../../base/steps.js';
import type { ClusterView } from '../registry/cluster-view.js';
import { checkServerIdentity, networkFailureText } from './network-failure.js';
import { serviceEndpoint, type Endpoint } from './service-endpoint.js';
import { readAnswer, type RawAnswer } from './webhook-answer.js';
import { EncodedReview, WebhookCallError, type WebhookCallOptions, type WebhookCaller, type WebhookClientConfig } from './webhook-caller.js';
import type { WebhookCredential, WebhookCredentials } from './webhook-credentials.js';

/** What calls need of the server. */
export interface WebhookEnvironment {
  readonly view: ClusterView;
  readonly clock: Clock;
  readonly random: Random;
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_JOINED_BYTES = 16 * 1024;
/** Connections that nobody uses are closed after this. */
const IDLE_MILLISECONDS = 90_000;

/** Makes the caller of webhooks: HTTP/1.1 over TLS, connections are kept for the next call. `credentials`: what is shown to whom; default nothing. */
export function createWebhookCaller(environment: WebhookEnvironment, credentials?: WebhookCredentials): WebhookCaller {
  return new HttpsWebhookCaller(environment, credentials);
}

/** What is the same for every call of one configuration. */
interface Place {
  /** As in error texts: `https://host:port/path`. */
  readonly url: string;
  readonly path: string;
  /** The `Host` header. */
  readonly authority: string;
  /** Kept connections are told apart by it. */
  readonly tls: RequestOptions;
  /** What `tls` has, made ready for connections; throws when it is unusable. Reading a large bundle takes longer than a call. */
  context(): SecureContext;
  readonly headers: Readonly<Record<string, string>>;
  /** Where to connect this time. */
  endpoint(): Endpoint;
}

class HttpsWebhookCaller implements WebhookCaller {
  private readonly agent = new Agent({ keepAlive: true, timeout: IDLE_MILLISECONDS });
  /** Configurations are immutable, and live as long as the objects that they stand in. */
  private readonly places = new WeakMap<WebhookClientConfig, Place>();

  constructor(
    private readonly environment: WebhookEnvironment,
    private readonly credentials: WebhookCredentials | undefined,
  ) {}

  async call(config: WebhookClientConfig, review: object | EncodedReview, options: WebhookCallOptions): Promise<unknown> {
    let place = this.places.get(config);
    if (!place) this.places.set(config, (place = this.place(config)));
    const seconds = Math.ceil(options.timeoutMilliseconds / 1000);
    const query = `?timeout=${seconds < 60 ? '' : `${Math.floor(seconds / 60)}m`}${seconds % 60}s`;
    const prefix = `Post ${JSON.stringify(place.url + query)}: `;
    let endpoint: Endpoint;
    try {
      endpoint = place.endpoint();
    } catch (error) {
      throw error instanceof WebhookCallError ? new WebhookCallError(prefix + error.message) : error;
    }
    return await run(readAnswer(await this.post(place, endpoint, query, prefix, bodyOf(review), options)));
  }

  private place({ url, service, caBundle }: WebhookClientConfig): Place {
    const ca = caBundle ? certificates(caBundle) : undefined;
    if (service) {
      const { namespace, name, port = 443 } = service;
      const host = `${name}.${namespace}.svc`;
      return this.placeAt(host, port, `${host}:${port}`, encodeURI(service.path ?? ''), ca, () => serviceEndpoint(this.environment.view, this.environment.random, namespace, name, port));
    }
    if (!url) throw new WebhookCallError('webhook configuration must have either service or URL', 500, 'client');
    const parsed = tryUrl(url);
    if (!parsed) throw new WebhookCallError(`Unparsable URL: ${url}`, 500, 'client');
    const host = parsed.hostname.replace(/^\[|\]$/g, '');
    const endpoint = { host, port: Number(parsed.port || 443) };
    return this.placeAt(host, endpoint.port, parsed.host, normalizedPath(parsed.pathname), ca, () => endpoint);
  }

  private placeAt(host: string, port: number, authority: string, to: string, ca: string | undefined, endpoint: () => Endpoint): Place {
    const clean = path.posix.join('/', to).replace(/(.)\/$/, '$1');
    const credential = this.credentials?.(`${host.includes(':') ? `[${host}]` : host}:${port}`);
    const tls: RequestOptions = {
      ...(ca === undefined ? {} : { ca }),
      servername: isIP(host) === 0 ? host : '',
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
      ...(credential?.certificate === undefined ? {} : { cert: credential.certificate }),
      ...(credential?.key === undefined ? {} : { key: credential.key }),
    };
    return {
      url: `https://${authority}${clean}`,
      path: clean,
      authority,
      tls,
      context: once(() => createSecureContext(tls)),
      headers: authorization(credential),
      endpoint,
    };
  }

  private async post(place: Place, endpoint: Endpoint, query: string, prefix: string, body: readonly Buffer[], options: WebhookCallOptions): Promise<RawAnswer> {
    const failure = (text: string): WebhookCallError => new WebhookCallError(prefix + text);
    const ended = new AbortController();
    const cancelTimer = this.environment.clock.setTimeout(() => ended.abort(failure('context deadline exceeded')), options.timeoutMilliseconds);
    const canceled = (): void => ended.abort(failure('context canceled'));
    const { signal } = options;
    if (signal?.aborted) canceled();
    else signal?.addEventListener('abort', canceled, { once: true });
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          return await this.send(place, endpoint, query, body, ended.signal, options.maxAnswerBytes ?? MAX_ANSWER_BYTES, attempt === 0);
        } catch (error) {
          if (ended.signal.aborted) throw ended.signal.reason as Error;
          if (error instanceof WebhookCallError) throw error;
          // The webhook may close a kept connection at the very moment that it is taken again; others may be no better.
          if (error instanceof StaleConnection) continue;
          throw failure(networkFailureText(error, endpoint));
        }
      }
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', canceled);
    }
  }

  private send(place: Place, endpoint: Endpoint, query: string, body: readonly Buffer[], signal: AbortSignal, limit: number, reuse: boolean): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      let answered = false;
      const to: RequestOptions & Pick<ConnectionOptions, 'secureContext'> = {
        ...place.tls,
        secureContext: place.context(),
        host: endpoint.host,
        port: endpoint.port,
        method: 'POST',
        path: place.path + query,
        agent: reuse ? this.agent : false,
        signal,
        headers: {
          host: place.authority, accept: 'application/json, */*', 'content-type': 'application/json', 'content-length': String(lengthOf(body)), 'user-agent': 'kube-apiserver-admission', ...place.headers,
        },
      };
      const request: ClientRequest = httpsRequest(to, (response) => {
        answered = true;
        collect(response, limit).then(resolve, reject);
      });
      request.on('error', (error) => reject(request.reusedSocket && !answered ? new StaleConnection() : error));
      // An answer that offers another protocol ends without an error.
      request.on('close', () => {
        if (!answered) reject(new Error('EOF'));
      });
      for (const part of body) request.write(part);
      request.end();
    });
  }
}

/** A kept connection that turned out to be closed. */
class StaleConnection extends Error {}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

async function collect(response: IncomingMessage, limit: number): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) {
      response.destroy();
      throw new WebhookCallError(`the response body is larger than ${limit} bytes`);
    }
    chunks.push(chunk);
  }
  return { code: response.statusCode ?? 0, contentType: response.headers['content-type'] ?? 'application/json', body: Buffer.concat(chunks) };
}

/** Small parts are sent as one. */
function bodyOf(review: object | EncodedReview): readonly Buffer[] {
  if (!(review instanceof EncodedReview)) return [Buffer.from(JSON.stringify(review))];
  return lengthOf(review.parts) <= MAX_JOINED_BYTES ? [Buffer.concat(review.parts)] : review.parts;
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((length, part) => length + part.length, 0);
}

function authorization(credential: WebhookCredential | undefined): Record<string, string> {
  if (credential?.token) return { authorization: `Bearer ${credential.token}` };
  if (credential?.username === undefined && credential?.password === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${credential.username ?? ''}:${credential.password ?? ''}`).toString('base64')}` };
}

function certificates(caBundle: string): string {
  const pem = Buffer.from(caBundle, 'base64').toString();
  if (!/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.test(pem)) throw new WebhookCallError('unable to load root certificates: unable to parse bytes as PEM block', 500, 'client');
  return pem;
}

/** Escapes only what needs it; bytes that are no UTF-8 stay escaped. */
function normalizedPath(pathname: string): string {
  try {
    return encodeURI(decodeURI(pathname));
  } catch {
    return pathname;
  }
}

function tryUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
