import http from 'node:http';
import https from 'node:https';
import type { KubeObject } from '../../api/meta/object.js';
import { KubeError, errorMessage } from '../../base/errors.js';
import { statusErrorFrom } from '../status-from-response.js';
import type { Transport, TransportRequest, TransportResponse, WatchEvent } from '../transport.js';
import type { HttpConnection } from './connection.js';
import { parseLines } from './watch-lines.js';
import { parseWarnings } from './warnings.js';

/** Connections kept open for ordinary requests at the same time; watches and streams have their own. */
const MAX_SOCKETS = 128;

/** Talks to an API server over HTTP/1.1 with keep-alive. `close` breaks what is still open. */
export class HttpTransport implements Transport {
  private readonly base: URL;
  private readonly prefix: string;
  private readonly requestAgent: http.Agent;
  private readonly streamAgent: http.Agent;
  private closed = false;

  constructor(private readonly connection: HttpConnection) {
    this.base = new URL(connection.server);
    this.prefix = this.base.pathname.replace(/\/+$/, '');
    const tls = this.base.protocol === 'https:';
    const options: https.AgentOptions = {
      keepAlive: true,
      ...(connection.ca ? { ca: connection.ca } : {}),
      ...(connection.certificate ? { cert: connection.certificate } : {}),
      ...(connection.key ? { key: connection.key } : {}),
      ...(connection.insecureSkipTlsVerify ? { rejectUnauthorized: false } : {}),
      ...(connection.tlsServerName ? { servername: connection.tlsServerName } : {}),
    };
    const make = (extra: https.AgentOptions): http.Agent => (tls ? new https.Agent({ ...options, ...extra }) : new http.Agent({ ...options, ...extra }));
    this.requestAgent = make({ maxSockets: MAX_SOCKETS });
    this.streamAgent = make({ maxFreeSockets: 4 });
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.open(request, this.requestAgent);
    const text = (await this.collect(response, request)).toString('utf8');
    const body = decode(text, response.headers['content-type'], request);
    const code = response.statusCode ?? 0;
    if (code >= 400) throw statusErrorFrom(code, body, retryAfter(response));
    return { code, body, warnings: parseWarnings(response.headersDistinct['warning']) };
  }

  async watch(request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>> {
    const response = await this.openStream(request);
    return this.events(response, request);
  }

  async stream(request: TransportRequest): Promise<AsyncIterable<Buffer>> {
    const response = await this.openStream(request);
    return this.chunks(response, request);
  }

  close(): Promise<void> {
    this.closed = true;
    this.requestAgent.destroy();
    this.streamAgent.destroy();
    return Promise.resolve();
  }

  private async openStream(request: TransportRequest): Promise<http.IncomingMessage> {
    const response = await this.open(request, this.streamAgent);
    const code = response.statusCode ?? 0;
    if (code >= 400) {
      const text = (await this.collect(response, request)).toString('utf8');
      throw statusErrorFrom(code, decode(text, response.headers['content-type'], request), retryAfter(response));
    }
    return response;
  }

  private async *events(response: http.IncomingMessage, request: TransportRequest): AsyncGenerator<readonly WatchEvent[]> {
    for await (const lines of parseLines(this.chunks(response, request))) {
      const batch: WatchEvent<KubeObject>[] = [];
      for (const line of lines) {
        try {
          batch.push(JSON.parse(line) as WatchEvent);
        } catch (error) {
          throw this.unreachable(request, `malformed watch event: ${errorMessage(error)}`, error);
        }
      }
      yield batch;
    }
  }

  private async *chunks(response: http.IncomingMessage, request: TransportRequest): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of response) yield chunk as Buffer;
    } catch (error) {
      // A caller that aborted wants no more; that is not a failure.
      if (!request.signal?.aborted && !this.closed) throw this.unreachable(request, errorMessage(error), error);
    } finally {
      response.destroy();
    }
  }

  private async collect(response: http.IncomingMessage, request: TransportRequest): Promise<Buffer> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of response) chunks.push(chunk as Buffer);
    } catch (error) {
      throw this.unreachable(request, errorMessage(error), error);
    }
    return Buffer.concat(chunks);
  }

  private async open(request: TransportRequest, agent: http.Agent): Promise<http.IncomingMessage> {
    if (this.closed) throw this.unreachable(request, 'the client is closed');
    const payload = request.body === undefined ? undefined : Buffer.from(typeof request.body === 'string' ? request.body : JSON.stringify(request.body));
    const headers = await this.headers(request, payload);
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.send(request, agent, headers, payload);
      } catch (error) {
        // The server may close an idle kept-alive connection at the very moment that it is taken again.
        const stale = error instanceof StaleConnectionError && attempt < 2 && !this.closed && !request.signal?.aborted;
        if (!stale) throw this.unreachable(request, errorMessage(error), error instanceof StaleConnectionError ? error.cause : error);
      }
    }
  }

  private send(request: TransportRequest, agent: http.Agent, headers: Record<string, string>, payload: Buffer | undefined): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const call = (this.base.protocol === 'https:' ? https : http).request({
        method: request.method,
        hostname: this.base.hostname.replace(/^\[|\]$/g, ''),
        port: this.base.port || (this.base.protocol === 'https:' ? 443 : 80),
        path: this.prefix + request.path,
        headers,
        agent,
        ...(request.signal ? { signal: request.signal } : {}),
      });
      call.once('response', resolve);
      call.once('error', (error: NodeJS.ErrnoException) => {
        const stale = call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new StaleConnectionError(error.message, { cause: error }) : error);
      });
      call.end(payload);
    });
  }

  private async headers(request: TransportRequest, payload: Buffer | undefined): Promise<Record<string, string>> {
    const headers: Record<string, string> = { accept: request.accept ?? 'application/json' };
    if (this.connection.userAgent) headers['user-agent'] = this.connection.userAgent;
    if (payload) {
      headers['content-type'] = request.contentType ?? 'application/json';
      headers['content-length'] = String(payload.length);
    }
    const { token, username, password } = this.connection;
    if (token !== undefined) headers['authorization'] = `Bearer ${typeof token === 'function' ? await token() : token}`;
    else if (username !== undefined) headers['authorization'] = `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
    return headers;
  }

  private unreachable(request: TransportRequest, why: string, cause?: unknown): KubeError {
    return new KubeError('KUBE_TRANSPORT_UNREACHABLE', `${request.method} ${this.connection.server}${request.path}: ${why}`, { cause });
  }
}

class StaleConnectionError extends Error {}

function decode(text: string, contentType: string | undefined, request: TransportRequest): unknown {
  if (!contentType || !/[/+]json\b/.test(contentType)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new KubeError('KUBE_TRANSPORT_UNREACHABLE', `${request.method} ${request.path}: the answer is not JSON: ${errorMessage(error)}`, { cause: error });
  }
}

function retryAfter(response: http.IncomingMessage): number {
  const seconds = Number(response.headers['retry-after']);
  return Number.isFinite(seconds) ? seconds : 0;
}
