import { dirname } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { connectionFromKubeconfig, readKubeconfigFile } from '../../src/client/index.js';

/** Where a server listens and how to prove who one is. */
export interface RawTarget {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** False: the server said that it closes the connection. */
  readonly reusable: boolean;
}

/** The administrator of a cluster, from its kubeconfig. */
export async function adminTarget(kubeconfig: string): Promise<RawTarget> {
  const config = await readKubeconfigFile(kubeconfig);
  if (!config) throw new Error(`${kubeconfig} does not exist`);
  const { server, ca, certificate, key } = await connectionFromKubeconfig(config, dirname(kubeconfig));
  const { hostname, port } = new URL(server);
  return { host: hostname, port: Number(port), ca: ca ?? '', cert: certificate ?? '', key: key ?? '' };
}

interface Pending {
  /** The answer has no body, whatever its headers say. */
  readonly bodiless: boolean;
  readonly resolve: (answer: RawAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One keep-alive HTTP/1.1 connection with one request at a time. It keeps nothing open behind the test's back and never tries
 * anything twice: a request that got no answer is reported as such.
 */
export class RawConnection {
  private buffer: Buffer = Buffer.alloc(0);
  private pending: Pending | undefined;
  private onStream: ((text: string) => void) | undefined;
  private onClosed: ((error: Error) => void) | undefined;
  private failure: Error | undefined;
  /** The headers of the stream were read. */
  private begun = false;

  private constructor(readonly socket: TLSSocket) {
    socket.setNoDelay(true);
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('the connection was closed')));
    socket.on('data', (chunk: Buffer) => {
      this.buffer = this.buffer.length === 0 ? chunk : Buffer.concat([this.buffer, chunk]);
      this.receive();
    });
  }

  static open(target: RawTarget): Promise<RawConnection> {
    const { host, port, ca, cert, key } = target;
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, ca, cert, key, ALPNProtocols: ['http/1.1'], checkServerIdentity: () => undefined }, () => {
        socket.off('error', reject);
        resolve(new RawConnection(socket));
      });
      socket.once('error', reject);
    });
  }

  /** Sends a request with a JSON body, if any, and gives the whole answer; rejects when the connection ends before. */
  request(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    return this.send(requestBytes(method, path, body, headers), method === 'HEAD');
  }

  /** The same with the bytes as they are. */
  send(bytes: Buffer, bodiless = false): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.pending = { resolve, reject, bodiless };
      this.socket.write(bytes);
    });
  }

  /** Sends a request whose answer goes on; `onText` gets what comes behind the headers, decoded. Resolves with the error or end. */
  stream(path: string, onText: (text: string) => void): Promise<Error> {
    return new Promise((resolve) => {
      this.onStream = onText;
      this.onClosed = resolve;
      if (this.failure) return resolve(this.failure);
      this.socket.write(requestBytes('GET', path));
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.pending?.reject(error);
    this.pending = undefined;
    this.onClosed?.(error);
  }

  private receive(): void {
    if (this.onStream) return this.receiveStream();
    const head = this.buffer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const headers = this.buffer.toString('latin1', 0, head);
    const begin = head + 4;
    const length = /\r\ncontent-length: *(\d+)/i.exec(headers);
    let body: Buffer = Buffer.alloc(0);
    let end = begin;
    if (this.pending?.bodiless) body = Buffer.alloc(0);
    else if (length) {
      end = begin + Number(length[1]);
      if (this.buffer.length < end) return;
      body = this.buffer.subarray(begin, end);
    } else if (/\r\ntransfer-encoding: *chunked/i.test(headers)) {
      const { data, next, last } = readChunks(this.buffer, begin);
      if (!last) return;
      body = data;
      end = next;
    }
    this.buffer = this.buffer.subarray(end);
    const { pending } = this;
    this.pending = undefined;
    pending?.resolve({ status: Number(headers.slice(9, 12)), body, reusable: !/\r\nconnection: *close/i.test(headers) });
  }

  private receiveStream(): void {
    if (!this.begun) {
      const head = this.buffer.indexOf('\r\n\r\n');
      if (head < 0) return;
      this.begun = true;
      const status = this.buffer.toString('latin1', 9, 12);
      if (status !== '200') return this.fail(new Error(`there is no stream: the answer was ${status}`));
      this.buffer = this.buffer.subarray(head + 4);
    }
    const { data, next, last } = readChunks(this.buffer, 0);
    this.buffer = this.buffer.subarray(next);
    if (data.length > 0) this.onStream!(data.toString());
    if (last) this.fail(new Error('the stream ended'));
  }
}

/** All whole chunks from `at` on. */
function readChunks(buffer: Buffer, at: number): { data: Buffer; next: number; last: boolean } {
  const parts: Buffer[] = [];
  let next = at;
  for (;;) {
    const line = buffer.indexOf('\r\n', next);
    if (line < 0) break;
    const size = parseInt(buffer.toString('latin1', next, line), 16);
    if (buffer.length < line + 2 + size + 2) break;
    next = line + 2 + size + 2;
    if (size === 0) return { data: Buffer.concat(parts), next, last: true };
    parts.push(buffer.subarray(line + 2, line + 2 + size));
  }
  return { data: Buffer.concat(parts), next, last: false };
}

function requestBytes(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const all: Record<string, string> = { Host: 'localhost', Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers };
  if (method !== 'GET' || bytes.length > 0) all['Content-Length'] ??= String(bytes.length);
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}
