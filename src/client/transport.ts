import type { KubeObject } from '../api/meta/object.js';

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query, from the server's root: `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Sent as JSON. The transport copies it before it returns; the caller may go on using it. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

export interface TransportResponse {
  readonly code: number;
  /** The decoded object, deep-frozen or never shared: must not be changed. Text for non-JSON answers. */
  readonly body: unknown;
  readonly warnings: readonly string[];
}

export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

/**
 * How a role reaches the API server: over HTTP, or in process. The in-process one skips bytes and
 * TLS, never authorization or admission. Failures are thrown: `StatusError` for an answer of the server,
 * `KubeError` `KUBE_TRANSPORT_UNREACHABLE` when there was none.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Resolves when the server accepted the watch; the iterable ends when the server ends it and throws when the connection breaks. Each item is a batch. */
  watch(request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>>;
  /** A byte stream as the answer (logs with follow). */
  stream(request: TransportRequest): Promise<AsyncIterable<Buffer>>;
  close(): Promise<void>;
}
