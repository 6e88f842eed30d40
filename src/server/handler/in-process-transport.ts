import type { Clock } from '../../base/clock.js';
import { toDraft } from '../../api/draft.js';
import type { Transport, TransportRequest, TransportResponse, WatchEvent } from '../../client/index.js';
import { KubeError } from '../../base/errors.js';
import type { UserInfo } from '../authn/authenticator.js';
import { statusErrorOf } from '../registry/store-errors.js';
import type { ApiRequest, ApiResponse, RequestBody, WatchStream } from './api-request.js';
import { parseRequestInfo, splitUrl } from './parse-request-info.js';
import type { Pipeline } from './pipeline.js';

/** A role may keep the event loop this long before HTTP gets its turn. */
const SLICE_MILLISECONDS = 5;
const NONE: RequestBody = { type: 'none' };
const NEVER = AbortSignal.any([]);

/** Gives the event loop back when in-process requests have kept it for a while; shared by all transports of a server. */
export class TurnKeeper {
  private turnBegan = -1;

  constructor(private readonly clock: Clock) {}

  /** Undefined when there is time left in this turn. */
  rest(): Promise<void> | undefined {
    const now = this.clock.monotonic();
    if (this.turnBegan < 0) {
      this.turnBegan = now;
      setImmediate(() => {
        this.turnBegan = -1;
      });
      return undefined;
    }
    if (now - this.turnBegan < SLICE_MILLISECONDS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => resolve());
    });
  }
}

/**
 * The way of our own roles to the server: no bytes and no TLS, but the same authorization, admission and handlers as
 * everybody. Objects given are copied; objects returned are the cache's own and must not be changed.
 */
export class InProcessTransport implements Transport {
  private readonly streams = new Set<WatchStream>();
  private closed = false;

  constructor(
    /** Throws while the server is not there. */
    private readonly pipeline: () => Pipeline,
    private readonly turns: TurnKeeper,
    private readonly user: UserInfo,
    private readonly userAgent: string,
  ) {}

  async request(request: TransportRequest): Promise<TransportResponse> {
    const warnings: string[] = [];
    const answer = await this.send(request, warnings);
    return { code: answer.type === 'watch' || answer.type === 'upgrade' ? 200 : answer.code, body: await bodyOf(answer), warnings };
  }

  async watch(request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>> {
    const answer = await this.send(request, []);
    if (answer.type !== 'watch') throw new TypeError(`${request.path} is not a watch`);
    const { stream } = answer;
    this.streams.add(stream);
    const { signal } = request;
    if (signal?.aborted) stream.close();
    signal?.addEventListener('abort', () => stream.close(), { once: true });
    return this.eventsOf(stream);
  }

  async stream(request: TransportRequest): Promise<AsyncIterable<Buffer>> {
    const answer = await this.send(request, []);
    if (answer.type === 'stream') return answer.chunks;
    if (answer.type === 'bytes') return once(answer.bytes);
    throw new TypeError(`${request.path} is not a stream`);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const stream of this.streams) stream.close();
    this.streams.clear();
  }

  private async send(request: TransportRequest, warnings: string[]): Promise<ApiResponse> {
    if (this.closed) throw new KubeError('KUBE_TRANSPORT_UNREACHABLE', 'the transport is closed');
    const pipeline = this.pipeline();
    // Copied before anything is waited for: the caller may go on changing it.
    const body: RequestBody = request.body === undefined ? NONE : { type: 'object', mediaType: request.contentType ?? 'application/json', object: toDraft(request.body) };
    const rest = this.turns.rest();
    if (rest) await rest;
    try {
      const { path, query } = splitUrl(request.path);
      const info = parseRequestInfo(request.method, path, query);
      const allowed = pipeline.authorize(this.user, info, query);
      if (allowed) await allowed;
      const api: ApiRequest = {
        info,
        method: request.method,
        query,
        accept: request.accept ?? 'application/json',
        inProcess: true,
        body,
        user: this.user,
        userAgent: this.userAgent,
        signal: request.signal ?? NEVER,
        warn: (text) => {
          if (!warnings.includes(text)) warnings.push(text);
        },
      };
      return await pipeline.handle(api);
    } catch (error) {
      throw statusErrorOf(error);
    }
  }

  private async *eventsOf(stream: WatchStream): AsyncGenerator<readonly WatchEvent[]> {
    try {
      yield* stream.events();
    } finally {
      stream.close();
      this.streams.delete(stream);
    }
  }
}

async function bodyOf(answer: ApiResponse): Promise<unknown> {
  switch (answer.type) {
    case 'object':
      return answer.object;
    case 'bytes':
      return decode(answer.mediaType, answer.bytes);
    case 'stream': {
      const chunks: Buffer[] = [];
      for await (const chunk of answer.chunks) chunks.push(chunk);
      return decode(answer.mediaType, Buffer.concat(chunks));
    }
    case 'watch':
      answer.stream.close();
      return undefined;
    case 'upgrade':
      return undefined;
  }
}

function decode(mediaType: string, bytes: Buffer): unknown {
  const text = bytes.toString();
  return mediaType.startsWith('application/json') || mediaType.includes('+json') ? (JSON.parse(text) as unknown) : text;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
