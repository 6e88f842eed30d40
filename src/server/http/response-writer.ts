import type { OutgoingHttpHeaders } from 'node:http';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { StatusError } from '../../api/status-error.js';
import type { ApiResponse, WatchStream } from '../handler/api-request.js';
import type { AnyResponse } from './connection-identity.js';
import { isClosed } from './is-closed.js';
import { warningHeaders } from './warning-headers.js';

/** Bodies from this size on are compressed for clients that accept it. */
const GZIP_FROM_BYTES = 128 << 10;
/** Speed matters more than the last per cent. */
const GZIP_OPTIONS = { level: constants.Z_BEST_SPEED };
/** Lists are compressed for clients that accept it, files are not. */
const COMPRESSED: ReadonlySet<string> = new Set(['application/json', 'application/vnd.kubernetes.protobuf']);
const compress = promisify(gzip);

/** What the answer depends on besides itself. */
export interface ResponseContext {
  readonly acceptEncoding: string;
  readonly warnings: readonly string[];
}

/** Writes an answer; resolves when it was handed to the connection, for streams when they ended. */
export async function writeResponse(response: AnyResponse, answer: ApiResponse, context: ResponseContext): Promise<void> {
  switch (answer.type) {
    case 'bytes':
      return writeBytes(response, answer.code, answer.mediaType, answer.bytes, answer.headers, context);
    case 'object':
      return writeBytes(response, answer.code, 'application/json', Buffer.from(`${JSON.stringify(answer.object)}\n`), undefined, context);
    case 'stream':
      return writeStream(response, answer, context);
    case 'watch':
      return writeWatch(response, answer.stream, context);
    case 'upgrade':
      return writeBytes(response, 400, 'text/plain; charset=utf-8', Buffer.from('unable to upgrade: missing upgrade headers in request\n'), undefined, context);
  }
}

/** Writes the Status of an error; `body` is what it was encoded to, JSON unless given. */
export function writeStatus(response: AnyResponse, error: StatusError, context: ResponseContext, body = jsonBody(error)): Promise<void> {
  const retry = error.status.details?.retryAfterSeconds;
  const headers = retry ? { 'Retry-After': String(retry) } : undefined;
  return writeBytes(response, error.code, body.mediaType, body.bytes, headers, context);
}

function jsonBody(error: StatusError): { readonly mediaType: string; readonly bytes: Buffer } {
  return { mediaType: 'application/json', bytes: Buffer.from(`${JSON.stringify(error.status)}\n`) };
}

async function writeBytes(response: AnyResponse, code: number, mediaType: string, bytes: Buffer, more: Readonly<Record<string, string>> | undefined, context: ResponseContext): Promise<void> {
  let body = bytes;
  const headers = headersOf(mediaType, context, more);
  // What comes compressed is left alone.
  if (bytes.length > GZIP_FROM_BYTES && acceptsGzip(context) && more?.['Content-Encoding'] === undefined) {
    body = await compress(bytes, GZIP_OPTIONS);
    headers['Content-Encoding'] = 'gzip';
    headers['Vary'] = 'Accept-Encoding';
  }
  headers['Content-Length'] = body.length;
  if (response.writableEnded || isClosed(response)) return;
  writeHead(response, code, headers);
  response.end(body);
}

async function writeStream(response: AnyResponse, answer: Extract<ApiResponse, { type: 'stream' }>, context: ResponseContext): Promise<void> {
  const headers = headersOf(answer.mediaType, context, answer.headers);
  const zip = acceptsGzip(context) && COMPRESSED.has(answer.mediaType) ? createGzip(GZIP_OPTIONS) : undefined;
  if (zip) {
    headers['Content-Encoding'] = 'gzip';
    headers['Vary'] = 'Accept-Encoding';
    zip.pipe(response as Writable);
  }
  writeHead(response, answer.code, headers);
  const target: Writable = zip ?? (response as Writable);
  for await (const chunk of answer.chunks) {
    if (isClosed(response)) break;
    if (!target.write(chunk)) await drained(target, response);
  }
  target.end();
}

async function writeWatch(response: AnyResponse, stream: WatchStream, context: ResponseContext): Promise<void> {
  // Nobody tells again that it is closed.
  if (isClosed(response)) return stream.close();
  response.once('close', () => stream.close());
  writeHead(response, 200, headersOf(stream.mediaType, context, undefined));
  // The client waits for the headers to know that its watch began.
  if ('flushHeaders' in response) response.flushHeaders();
  try {
    for await (const frame of stream.frames()) {
      if (isClosed(response) || response.writableEnded) break;
      if (!(response as Writable).write(frame)) await drained(response as Writable, response);
    }
  } finally {
    stream.close();
    if (!isClosed(response)) response.end();
  }
}

/** Resolves when more can be written, or the connection is gone. */
function drained(target: Writable, response: AnyResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      target.off('drain', done);
      response.off('close', done);
      resolve();
    };
    target.once('drain', done);
    response.once('close', done);
    if (isClosed(response)) done();
  });
}

function headersOf(mediaType: string, context: ResponseContext, more: Readonly<Record<string, string>> | undefined): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'Cache-Control': 'no-cache, private', ...(mediaType === '' ? {} : { 'Content-Type': mediaType }), ...more };
  if (context.warnings.length > 0) headers['Warning'] = warningHeaders(context.warnings);
  return headers;
}

function acceptsGzip(context: ResponseContext): boolean {
  return context.acceptEncoding.includes('gzip');
}

function writeHead(response: AnyResponse, code: number, headers: OutgoingHttpHeaders): void {
  // The two kinds of responses have the same method with different overloads.
  (response as { writeHead(code: number, headers: OutgoingHttpHeaders): unknown }).writeHead(code, headers);
}
