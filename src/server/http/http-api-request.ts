import { setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../authn/authenticator.js';
import type { ApiRequest, RequestBody } from '../handler/api-request.js';
import type { RequestInfo } from '../handler/request-info.js';
import type { AnyRequest, AnyResponse } from './connection-identity.js';
import { isClosed } from './is-closed.js';

const NONE: RequestBody = { type: 'none' };

/** An {@link ApiRequest} that came over HTTP. What is seldom asked for is made when it is. */
export class HttpApiRequest implements ApiRequest {
  readonly inProcess = false;
  readonly warnings: string[] = [];
  private readonly warned = new Set<string>();
  body: RequestBody = NONE;
  private controller: AbortController | undefined;

  constructor(
    private readonly request: AnyRequest,
    private readonly response: AnyResponse,
    readonly info: RequestInfo,
    readonly query: URLSearchParams,
    readonly user: UserInfo,
  ) {}

  get method(): string {
    return this.request.method ?? 'GET';
  }

  get accept(): string {
    return this.request.headers.accept ?? '';
  }

  get userAgent(): string {
    return this.request.headers['user-agent'] ?? '';
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      const controller = new AbortController();
      // A request may wait for very many at once.
      setMaxListeners(Infinity, controller.signal);
      this.controller = controller;
      // Also after a complete answer, when nobody listens any more.
      if (isClosed(this.response)) controller.abort();
      else this.response.once('close', () => controller.abort());
    }
    return this.controller.signal;
  }

  warn(text: string): void {
    if (this.warned.has(text)) return;
    this.warned.add(text);
    this.warnings.push(text);
  }
}
