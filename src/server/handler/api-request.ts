import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { KubeObject } from '../../api/meta/object.js';
import type { UserInfo } from '../authn/authenticator.js';
import type { ReadYaml } from '../yaml/thread/questions.js';
import type { RequestInfo } from './request-info.js';

/** The body of a request: bytes with their media type (HTTP), or an object (in-process; already copied). */
export type RequestBody =
  | { readonly type: 'none' }
  /** `read`: what its YAML says, where reading it takes long. */
  | { readonly type: 'bytes'; readonly mediaType: string; readonly bytes: Buffer; readonly read?: ReadYaml }
  | { readonly type: 'object'; readonly mediaType: string; readonly object: unknown }
  /** Passed on as it comes: what is sent through a proxy may be of any size. `length` where the client told it. */
  | { readonly type: 'stream'; readonly mediaType: string; readonly stream: Readable; readonly length?: number };

/** A request after authentication, free of HTTP. */
export interface ApiRequest {
  readonly info: RequestInfo;
  readonly method: string;
  readonly query: URLSearchParams;
  /** The `Accept` header, or what the in-process client wants. */
  readonly accept: string;
  /** The answer goes to our own process: objects are handed over as they are (frozen), not as bytes. */
  readonly inProcess: boolean;
  readonly body: RequestBody;
  readonly user: UserInfo;
  readonly userAgent: string;
  /** Of a request that came over HTTP, for proxies: lower-case names. */
  readonly headers?: IncomingHttpHeaders;
  /** Aborts when the client went away. */
  readonly signal: AbortSignal;
  /** Adds a `Warning: 299` header. */
  warn(text: string): void;
}

/** A raw byte stream taken over from HTTP after an upgrade (SPDY, WebSocket) or a proxied answer. */
export interface UpgradeHandler {
  /** Called by the HTTP adapter with the socket; `head` are bytes already read. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Batches of watch events, each one commit's worth. */
export interface WatchStream {
  readonly mediaType: string;
  /** Ready-made frames of the wire form, several events joined; used for HTTP. */
  frames(): AsyncIterable<Buffer>;
  /** The same as objects; used in process. */
  events(): AsyncIterable<readonly WatchEventObject[]>;
  close(): void;
}

export interface WatchEventObject {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

/** What a handler returns. Errors are thrown as `StatusError`. */
export type ApiResponse =
  | { readonly type: 'object'; readonly code: number; readonly object: unknown }
  /** `mediaType`: empty where there is no body. */
  | { readonly type: 'bytes'; readonly code: number; readonly mediaType: string; readonly bytes: Buffer; readonly headers?: Readonly<Record<string, string>> }
  /** Pieces of one body, written with backpressure. */
  | { readonly type: 'stream'; readonly code: number; readonly mediaType: string; readonly chunks: AsyncIterable<Buffer>; readonly headers?: Readonly<Record<string, string>> }
  | { readonly type: 'watch'; readonly stream: WatchStream }
  | { readonly type: 'upgrade'; readonly upgrade: UpgradeHandler };
