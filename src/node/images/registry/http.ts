import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { connect as tlsConnect, rootCertificates, type ConnectionOptions } from 'node:tls';
import { errorCode, errorMessage } from '../../../base/errors.js';
import type { ProxyOptions, RegistryOptions } from './options.js';
import { proxyAuthorization, proxyFor } from './proxy.js';
import { RegistryError } from './registry-error.js';

/** A connection that gives nothing for so long is given up. */
const IDLE = 30_000;
const MAX_REDIRECTS = 10;

/** One request to a registry or token service. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tls: Pick<RegistryOptions, 'insecure' | 'ca' | 'certificate' | 'key'>;
  readonly signal?: AbortSignal;
}

/** Its answer, of any status but a redirect; the body must be read or destroyed. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: http.IncomingMessage;
}

/** Sends requests: TLS, proxies, redirects. Connections are kept for the next request. */
export class HttpClient {
  private readonly plain = new http.Agent({ keepAlive: true });
  private readonly secure = new https.Agent({ keepAlive: true });

  constructor(private readonly proxy: ProxyOptions, private readonly userAgent: string, private readonly idle = IDLE) {}

  /** Rejects with a {@link RegistryError} when there is no answer. Credentials do not go along to another host. */
  async send(request: HttpRequest): Promise<HttpResponse> {
    let { url } = request;
    let headers = request.headers;
    let method = request.method;
    for (let redirects = 0; ; redirects++) {
      request.signal?.throwIfAborted();
      const response = await this.once({ ...request, method, url, headers });
      const location = response.headers.location;
      if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) return response;
      response.body.destroy();
      if (redirects >= MAX_REDIRECTS) throw new RegistryError(`${where(request)}: more than ${MAX_REDIRECTS} redirects`, response.status, false);
      if (!URL.canParse(location, url.href)) throw new RegistryError(`${where(request)}: redirected to "${location.slice(0, 200)}", which is no URL`, response.status, false);
      const next = new URL(location, url.href);
      if (next.protocol !== 'http:' && next.protocol !== 'https:') throw new RegistryError(`${where(request)}: redirected to ${next.protocol}, which is not followed`, response.status, false);
      if (next.host !== url.host || next.protocol !== url.protocol) headers = without(headers, 'authorization');
      if (response.status === 303 && method === 'POST') method = 'GET';
      url = next;
    }
  }

  close(): void {
    this.plain.destroy();
    this.secure.destroy();
  }

  private async once(request: HttpRequest): Promise<HttpResponse> {
    try {
      const proxy = proxyFor(request.url, this.proxy);
      const options: https.RequestOptions = {
        method: request.method, signal: request.signal,
        headers: { 'user-agent': this.userAgent, ...request.headers, ...(request.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }) },
      };
      if (request.url.protocol === 'https:') {
        const tls = tlsOptions(request);
        if (!proxy) return await this.exchange(https.request({ ...target(request.url), ...options, ...tls, agent: this.secure }), request.body);
        const tunnel = await this.tunnel(proxy, request);
        const socket = tlsConnect({ ...tls, socket: tunnel, servername: tls.servername });
        return await this.exchange(https.request({ ...target(request.url), ...options, createConnection: () => socket }), request.body);
      }
      if (!proxy) return await this.exchange(http.request({ ...target(request.url), ...options, agent: this.plain }), request.body);
      const absolute = { ...options, path: request.url.href, headers: { ...options.headers as Record<string, string>, host: request.url.host, ...proxyAuthorization(proxy) } };
      return await this.exchange(http.request({ host: bare(proxy), port: proxy.port || 80, ...absolute, agent: this.plain }), request.body);
    } catch (error) {
      if (error instanceof RegistryError || request.signal?.aborted) throw error;
      throw new RegistryError(`failed to do request: ${where(request)}: ${errorMessage(error) || (errorCode(error) ?? 'no answer')}`, 0, true, undefined, { cause: error });
    }
  }

  private exchange(request: http.ClientRequest, body: string | undefined): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      request.setTimeout(this.idle, () => request.destroy(new Error(`no answer for ${this.idle / 1000} s`)));
      request.once('error', reject);
      request.once('response', (message) => {
        // What happens to it from now on is told to the reader of the body.
        request.off('error', reject);
        request.on('error', (error) => message.destroy(error));
        resolve({ status: message.statusCode!, headers: message.headers, body: message });
      });
      request.end(body);
    });
  }

  private tunnel(proxy: URL, { url, signal }: HttpRequest): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const target = `${url.hostname}:${url.port || 443}`;
      const request = http.request({ host: bare(proxy), port: proxy.port || 80, method: 'CONNECT', path: target, headers: { host: target, ...proxyAuthorization(proxy) }, agent: false, signal });
      request.setTimeout(this.idle, () => request.destroy(new Error(`the proxy ${proxy.host} gives no answer`)));
      request.once('error', reject);
      request.once('connect', (response, socket) => {
        if (response.statusCode === 200) {
          // The request does not watch over it any longer.
          socket.setTimeout(0);
          return resolve(socket as Socket);
        }
        socket.destroy();
        reject(new Error(`the proxy ${proxy.host} refused the connection: ${response.statusCode} ${response.statusMessage ?? ''}`.trim()));
      });
      request.end();
    });
  }
}

function tlsOptions({ url, tls }: HttpRequest): ConnectionOptions & { readonly servername?: string } {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    rejectUnauthorized: tls.insecure !== true,
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    ...(tls.ca ? { ca: [...rootCertificates, tls.ca] } : {}),
    ...(tls.certificate ? { cert: tls.certificate } : {}),
    ...(tls.key ? { key: tls.key } : {}),
  };
}

function where({ method, url }: HttpRequest): string {
  return `${method} "${url.origin}${url.pathname}"`;
}

function target(url: URL): http.RequestOptions {
  return { host: bare(url), port: url.port || (url.protocol === 'https:' ? 443 : 80), path: url.pathname + url.search };
}

function bare(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function without(headers: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name));
}

/** Reads a body of at most `limit` bytes; `what` names it when it has more. */
export async function readBody(body: http.IncomingMessage, limit: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit) throw new RegistryError(`${what} has more than ${limit} bytes`, 0, false);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof RegistryError ? error : new RegistryError(`${what}: the connection broke: ${errorMessage(error)}`, 0, true, undefined, { cause: error });
  }
  return Buffer.concat(chunks);
}
