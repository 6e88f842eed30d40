import type { KubeObject } from '../../api/meta/object.js';
import type { Transport, TransportRequest, TransportResponse, WatchEvent } from '../transport.js';

/** A watch that a test feeds. */
export class ScriptedWatch implements AsyncIterable<readonly WatchEvent[]> {
  private batches: (readonly WatchEvent[])[] = [];
  private wake: (() => void) | undefined;
  private ended = false;
  private failure: Error | undefined;

  constructor(
    readonly request: TransportRequest,
  ) {
    request.signal?.addEventListener('abort', () => this.end(), { once: true });
  }

  send(...events: { readonly type: WatchEvent['type']; readonly object: KubeObject }[]): void {
    this.batches.push(events);
    this.wake?.();
  }

  end(): void {
    this.ended = true;
    this.wake?.();
  }

  fail(error: Error): void {
    this.failure = error;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly WatchEvent[]> {
    for (;;) {
      const batch = this.batches.shift();
      if (batch) yield batch;
      else if (this.failure) throw this.failure;
      else if (this.ended) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

/** Answers what the test says, and keeps what it was asked. */
export class ScriptedTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly watches: ScriptedWatch[] = [];
  /** Answer of the next requests; a thrown error is the answer too. */
  onRequest: (request: TransportRequest) => unknown = () => ({});
  /** Called before a watch is accepted; may throw. */
  onWatch: (request: TransportRequest) => void = () => undefined;

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    return { code: 200, body: await this.onRequest(request), warnings: [] };
  }

  watch(request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>> {
    this.requests.push(request);
    try {
      this.onWatch(request);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    const watch = new ScriptedWatch(request);
    this.watches.push(watch);
    return Promise.resolve(watch);
  }

  stream(): Promise<AsyncIterable<Buffer>> {
    return Promise.reject(new Error('not scripted'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
