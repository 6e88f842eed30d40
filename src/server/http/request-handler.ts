import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';
import { internalError, StatusError } from '../../api/status-error.js';
import type { UserInfo } from '../authn/authenticator.js';
import type { V1Status } from '../../api/generated/types.js';
import type { ApiRequest, ApiResponse } from '../handler/api-request.js';
import { EMPTY_QUERY, isWellFormed, parseRequestInfo, splitUrl } from '../handler/parse-request-info.js';
import { requestAttributes, type Pipeline } from '../handler/pipeline.js';
import type { RequestInfo } from '../handler/request-info.js';
import { isYaml } from '../handler/media-types.js';
import type { ReadYaml } from '../yaml/thread/questions.js';
import type { AuthorizationAttributes, Decision } from '../authz/authorizer.js';
import { statusErrorOf } from '../registry/store-errors.js';
import type { IdentityHeaders } from '../authn/request-header.js';
import { readBody } from './body.js';
import type { AnyRequest, AnyResponse, RequestAuthenticator } from './connection-identity.js';
import { HttpApiRequest } from './http-api-request.js';
import { Impersonation, impersonates } from './impersonation.js';
import { RequestDeadlines } from './request-deadlines.js';
import type { RequestMetrics } from './request-metrics.js';
import { requestTimeout } from './request-timeout.js';
import { writeResponse, writeStatus, type ResponseContext } from './response-writer.js';
import { readUpgradeBody } from './upgrade-body.js';

const NO_WARNINGS: readonly string[] = [];

/** What the HTTP side needs of the server. */
export interface HttpServices {
  readonly pipeline: Pipeline;
  readonly authenticator: RequestAuthenticator;
  readonly metrics: RequestMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxRequestBodyBytes: number;
  /** Headers that are not handed on to what is proxied. */
  readonly identityHeaders: IdentityHeaders;
  /** For requests that are not long-running. */
  readonly requestTimeoutMilliseconds: number;
  authorize(attributes: AuthorizationAttributes): Promise<Decision> | Decision;
  /** The body of an error, in a form that the client accepts. */
  statusBody(status: V1Status, wanted: Pick<ApiRequest, 'accept' | 'query' | 'userAgent'>): Promise<{ readonly mediaType: string; readonly bytes: Buffer }>;
  /** Reads YAML that takes long to be read; undefined: it does not. */
  readYaml(bytes: Buffer): Promise<ReadYaml | undefined>;
}

/** From an HTTP request to its answer: who, what, whether, and then the handler. */
export class RequestHandler {
  private readonly deadlines: RequestDeadlines;
  private readonly impersonation: Impersonation;

  constructor(private readonly services: HttpServices) {
    this.deadlines = new RequestDeadlines(services.clock, services.requestTimeoutMilliseconds);
    this.impersonation = new Impersonation((attributes) => services.authorize(attributes));
  }

  /** Answers a request, whatever it is; never throws. */
  async serve(request: AnyRequest, response: AnyResponse): Promise<void> {
    const { clock, metrics } = this.services;
    const began = clock.monotonic();
    let info: RequestInfo | undefined;
    let api: HttpApiRequest | undefined;
    try {
      const { path, query } = splitUrl(request.url ?? '/');
      if (!isWellFormed(path)) return await writeResponse(response, noRequest(request), contextOf(request, undefined));
      info = parseRequestInfo(request.method ?? 'GET', path, query);
      const bounded = !RequestDeadlines.isLongRunning(info);
      if (bounded) {
        const wanted = requestTimeout(query);
        metrics.begin(info.verb);
        this.deadlines.begin(response, began, wanted);
      }
      try {
        const user = await this.user(request, info, query);
        const allowed = this.services.pipeline.authorize(user, info, query);
        if (allowed) await allowed;
        this.stripIdentity(request, info);
        api = new HttpApiRequest(request, response, info, query, user);
        await this.takeBody(request, api, () => readBody(request, this.services.maxRequestBodyBytes));
        const answer = await this.services.pipeline.handle(api);
        await this.write(response, answer, info, contextOf(request, api));
      } finally {
        if (bounded) {
          metrics.end(info.verb);
          this.deadlines.end(response);
        }
      }
    } catch (error) {
      await this.fail(request, response, error, contextOf(request, api));
    }
    metrics.observe(info, api !== undefined && api.query !== EMPTY_QUERY && api.query.has('dryRun'), response.statusCode, (clock.monotonic() - began) / 1000);
  }

  /** Authenticates and authorizes a request that wants another protocol, and returns what its handler answers. Throws `StatusError`s. */
  async upgrade(request: IncomingMessage, response: AnyResponse, socket: Duplex, head: Buffer): Promise<ApiResponse> {
    const { path, query } = splitUrl(request.url ?? '/');
    const info = parseRequestInfo(request.method ?? 'GET', path, query);
    const user = await this.user(request, info, query);
    await this.services.pipeline.authorize(user, info, query);
    this.stripIdentity(request, info);
    const api = new HttpApiRequest(request, response, info, query, user);
    const { maxRequestBodyBytes, clock, requestTimeoutMilliseconds } = this.services;
    // What follows the headers of a stream belongs to the stream.
    if (!RequestDeadlines.isLongRunning(info)) await this.takeBody(request, api, () => readUpgradeBody(request, socket, head, maxRequestBodyBytes, clock, requestTimeoutMilliseconds));
    return this.services.pipeline.handle(api);
  }

  /** Only proxies pass headers on. */
  private stripIdentity(request: AnyRequest, info: RequestInfo): void {
    if (info.subresource !== 'proxy') return;
    const { names, prefixes } = this.services.identityHeaders;
    for (const name of Object.keys(request.headers)) if (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) delete request.headers[name];
  }

  private user(request: AnyRequest, info: RequestInfo, query: URLSearchParams): UserInfo | Promise<UserInfo> {
    const user = this.services.authenticator.authenticate(request, info.path);
    if (!impersonates(request.headers)) return user;
    return Promise.resolve(user).then((known) => this.impersonation.userOf(request.rawHeaders, requestAttributes(known, info, query)));
  }

  private async takeBody(request: AnyRequest, api: HttpApiRequest, readBytes: () => Promise<Buffer>): Promise<void> {
    const method = request.method;
    if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH' && method !== 'DELETE') return;
    if (api.info.subresource === 'proxy') {
      const length = Number(request.headers['content-length'] ?? NaN);
      api.body = { type: 'stream', mediaType: request.headers['content-type'] ?? '', stream: request, ...(Number.isSafeInteger(length) ? { length } : {}) };
      return;
    }
    const bytes = await readBytes();
    const mediaType = request.headers['content-type'] ?? '';
    const read = isYaml(mediaType) ? await this.services.readYaml(bytes) : undefined;
    api.body = { type: 'bytes', mediaType, bytes, ...(read ? { read } : {}) };
  }

  private async write(response: AnyResponse, answer: ApiResponse, info: RequestInfo, context: ResponseContext): Promise<void> {
    if (answer.type !== 'watch') return writeResponse(response, answer, context);
    const { metrics } = this.services;
    metrics.longRunningChanged(info, 1);
    try {
      await writeResponse(response, answer, context);
    } finally {
      metrics.longRunningChanged(info, -1);
    }
  }

  private async fail(request: AnyRequest, response: AnyResponse, error: unknown, context: ResponseContext): Promise<void> {
    const status = statusErrorOf(error);
    if (!(error instanceof StatusError) && status.code === 500) this.services.log.error('a request failed unexpectedly', { method: request.method, url: request.url, error });
    try {
      if (response.headersSent) response.destroy();
      else await writeStatus(response, status, context, await this.services.statusBody(status.status, wantedBy(request)));
    } catch (failure) {
      this.services.log.warn('an answer could not be written', { url: request.url, error: failure });
      // Nobody may wait for it for ever.
      await this.failPlainly(request, response, context).catch(() => response.destroy());
    }
  }

  /** What was to be said cannot be written; that much can. */
  private async failPlainly(request: AnyRequest, response: AnyResponse, context: ResponseContext): Promise<void> {
    if (response.headersSent) return void response.destroy();
    const status = internalError('the answer could not be written');
    await writeStatus(response, status, context, await this.services.statusBody(status.status, wantedBy(request)));
  }
}

/** What cannot be read is refused before anything is known of it, and is the last on its connection. */
function noRequest(request: AnyRequest): ApiResponse {
  const headers: Record<string, string> = request.httpVersionMajor < 2 ? { Connection: 'close' } : {};
  return { type: 'bytes', code: 400, mediaType: 'text/plain; charset=utf-8', bytes: Buffer.from('400 Bad Request'), headers };
}

function wantedBy(request: AnyRequest): Pick<ApiRequest, 'accept' | 'query' | 'userAgent'> {
  return { accept: request.headers.accept ?? '', userAgent: request.headers['user-agent'] ?? '', query: splitUrl(request.url ?? '/').query };
}

function contextOf(request: AnyRequest, api: HttpApiRequest | undefined): ResponseContext {
  return { acceptEncoding: String(request.headers['accept-encoding'] ?? ''), warnings: api?.warnings ?? NO_WARNINGS };
}
