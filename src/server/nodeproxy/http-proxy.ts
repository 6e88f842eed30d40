import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import type { Duplex } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { serviceUnavailableError } from '../../api/status-error.js';
import { errorCode, errorMessage } from '../../base/errors.js';
import type { ApiRequest, ApiResponse } from '../handler/api-request.js';
import { authorityOf } from './node-endpoint.js';
import { rewriteLinks, rewriteUrl } from './rewrite-links.js';
import { refuseUpgrade } from './upgrade-response.js';

/** Where a proxied request goes. */
export interface ProxyTarget {
  readonly host: string;
  /** Empty: the scheme's own. */
  readonly port: string;
  readonly secure: boolean;
  readonly tls: tls.ConnectionOptions;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers about one connection, and those that only concern the API server. */
const DROPPED = new Set([
  'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'authorization', 'content-length',
]);

/** How long connecting may take. */
const DIAL_MILLISECONDS = 30_000;

/** Passes a request on and its answer back; requests for another protocol become a pipe between both ends. */
export async function proxyRequest(request: ApiRequest, target: ProxyTarget): Promise<ApiResponse> {
  const { info } = request;
  const base = info.rest === '' ? info.path.replace(/\/+$/, '') : info.path.slice(0, info.path.length - info.rest.length).replace(/\/+$/, '');
  const query = request.query.toString();
  if (info.rest === '' && !info.path.endsWith('/') && (request.method === 'GET' || request.method === 'HEAD')) {
    return { type: 'bytes', code: 301, mediaType: 'text/plain; charset=utf-8', bytes: Buffer.alloc(0), headers: { Location: `${info.path}/${query === '' ? '' : `?${query}`}` } };
  }
  const path = `/${info.rest}${info.rest !== '' && info.path.endsWith('/') && !info.rest.endsWith('/') ? '/' : ''}${query === '' ? '' : `?${query}`}`;
  if (request.headers?.upgrade) return { type: 'upgrade', upgrade: { handle: (message, socket, head) => pipeThrough(message, socket, head, target, path) } };
  const response = await send(request, target, path);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (!DROPPED.has(name) && name !== 'content-type' && value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  const links = { prefix: base, authority: authorityOf(target.host, target.port || (target.secure ? '443' : '80')) };
  const location = headers['location'];
  if (location !== undefined) headers['location'] = rewriteUrl(location, links);
  const mediaType = response.headers['content-type'] ?? 'application/octet-stream';
  const code = response.statusCode ?? 502;
  if (location !== undefined || !mediaType.startsWith('text/html')) return { type: 'stream', code, mediaType, chunks: response as AsyncIterable<Buffer>, headers };
  const plain = uncompressed(response);
  if (!plain) return { type: 'stream', code, mediaType, chunks: response as AsyncIterable<Buffer>, headers };
  // The rewritten text has another form and length.
  delete headers['content-encoding'];
  return { type: 'stream', code, mediaType, chunks: rewriteLinks(plain, links), headers };
}

/** The text of an answer; undefined when its encoding is not known. */
function uncompressed(response: IncomingMessage): AsyncIterable<Buffer> | undefined {
  const encoding = response.headers['content-encoding'] ?? '';
  if (encoding === '' || encoding === 'identity') return response as AsyncIterable<Buffer>;
  const inflater = encoding === 'gzip' ? createGunzip() : encoding === 'deflate' ? createInflate() : undefined;
  if (!inflater) return undefined;
  response.once('error', (error) => inflater.destroy(error));
  return response.pipe(inflater) as AsyncIterable<Buffer>;
}

function send(request: ApiRequest, target: ProxyTarget, path: string): Promise<IncomingMessage> {
  const { body } = request;
  const bytes = body.type === 'bytes' ? body.bytes : body.type === 'object' ? Buffer.from(JSON.stringify(body.object)) : undefined;
  const length = body.type === 'stream' ? body.length : bytes && bytes.length > 0 ? bytes.length : undefined;
  const headers = { ...forwarded(request.headers ?? { accept: request.accept, 'user-agent': request.userAgent }), ...target.headers, ...(length === undefined ? {} : { 'content-length': String(length) }) };
  const options = { host: target.host, port: target.port || (target.secure ? 443 : 80), method: request.method, path, headers, agent: false as const, timeout: DIAL_MILLISECONDS, signal: request.signal, ...(target.secure ? target.tls : {}) };
  return new Promise((resolve, reject) => {
    const call = (target.secure ? https : http).request(options, (response) => {
      // The limit is for connecting; an answer may take its time.
      call.setTimeout(0);
      resolve(response);
    });
    call.once('timeout', () => call.destroy(new Error('i/o timeout')));
    call.once('error', (error) => reject(unreachable(target, error)));
    if (body.type === 'stream') body.stream.pipe(call);
    else call.end(bytes);
  });
}

function pipeThrough(message: IncomingMessage, socket: Duplex, head: Buffer, target: ProxyTarget, path: string): void {
  const port = Number(target.port || (target.secure ? 443 : 80));
  const backend = target.secure ? tls.connect({ host: target.host, port, ...target.tls }) : net.connect({ host: target.host, port });
  backend.setTimeout(DIAL_MILLISECONDS, () => backend.destroy(new Error('i/o timeout')));
  backend.once(target.secure ? 'secureConnect' : 'connect', () => {
    backend.setTimeout(0);
    const headers = { ...forwarded(message.headers), ...target.headers, host: authorityOf(target.host, port), connection: 'Upgrade', upgrade: message.headers.upgrade ?? '' };
    const lines = Object.entries(headers).flatMap(([name, value]) => (Array.isArray(value) ? value : [value ?? '']).map((item) => `${name}: ${item}\r\n`));
    backend.write(`${message.method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    if (head.length > 0) backend.write(head);
    backend.pipe(socket).pipe(backend);
  });
  backend.once('error', (error) => refuseUpgrade(socket, unreachable(target, error)));
  socket.once('close', () => backend.destroy());
}

function forwarded(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':') && !DROPPED.has(name) && !name.startsWith('impersonate-')) result[name] = value;
  }
  return result;
}

function unreachable(target: ProxyTarget, error: unknown): Error {
  const words: Readonly<Record<string, string>> = { ECONNREFUSED: 'connect: connection refused', EHOSTUNREACH: 'connect: no route to host', ENETUNREACH: 'connect: network is unreachable' };
  const why = words[errorCode(error) ?? ''] ?? errorMessage(error);
  return serviceUnavailableError(`error trying to reach service: dial tcp ${authorityOf(target.host, target.port || (target.secure ? '443' : '80'))}: ${why}`);
}
