import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../../base/clock.js';
import { EtcdCallError, GRPC } from '../call-error.js';
import type { EtcdLocation } from '../options.js';
import { encodeHeaders, type Headers } from './hpack.js';
import { Http2Connection, type Http2Stream } from './http2-connection.js';
import { MessageReader, prefixed } from './message-reader.js';

const CONNECT_MILLISECONDS = 5_000;
/** After a connection that was not made, calls are refused for so long; twice as long each time. */
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 1_000;

/** What comes of a call. Nothing is called once it was canceled. */
export interface CallEvents {
  onMessage(message: Buffer): void;
  /** Called once, at the end; `error` is absent when the server says that all is well. */
  onDone(error: EtcdCallError | undefined): void;
}

/** A call under way. */
export interface GrpcCall {
  /** False: it has not left this process. */
  readonly isSent: boolean;
  /** Sends one more message. */
  write(message: Buffer): void;
  cancel(): void;
}

/** gRPC to one server: connects when it is needed, and again when the connection is lost. */
export class GrpcChannel {
  /** The one that is used; it has shown that it works. */
  private connection: Http2Connection | undefined;
  private dialed: Http2Connection | undefined;
  private connecting: Promise<Http2Connection> | undefined;
  private refusal: { readonly error: Error; readonly until: number } | undefined;
  private pause = FIRST_PAUSE_MILLISECONDS;
  private closed = false;
  private readonly secure: boolean;
  private readonly host: string;
  private readonly port: number;
  /** Encoded header fields by method, for calls with this token. */
  private heads = new Map<string, Buffer>();
  private headsToken: string | undefined;

  constructor(
    readonly url: string,
    private readonly location: EtcdLocation,
    private readonly clock: Clock,
  ) {
    const { protocol, hostname, port } = new URL(url);
    this.secure = protocol === 'https:';
    this.host = hostname.replace(/^\[|\]$/g, '');
    this.port = port === '' ? (this.secure ? 443 : 80) : Number(port);
  }

  /** Begins a call with its first message; `last`: there are no others. */
  begin(method: string, token: string | undefined, message: Buffer, last: boolean, { onMessage, onDone }: CallEvents): GrpcCall {
    let stream: Http2Stream | undefined;
    let over = false;
    const early: Buffer[] = [];
    const done = (error: EtcdCallError | undefined): void => {
      if (over) return;
      over = true;
      onDone(error);
    };
    const open = (connection: Http2Connection): void => {
      if (over) return;
      const reader = new MessageReader();
      const told = new Map<string, string>();
      const body = early.length === 0 ? prefixed(message) : Buffer.concat([message, ...early].map(prefixed));
      stream = connection.open(this.head(method, token), body, last, {
        onHeaders: (headers) => {
          for (const [name, value] of headers) told.set(name, value);
        },
        onData: (data) => {
          try {
            for (const received of reader.read(data)) {
              onMessage(received);
              if (over) return;
            }
          } catch (error) {
            if (!(error instanceof RangeError)) throw error;
            stream?.cancel();
            done(new EtcdCallError(GRPC.internal, error.message, this.url, false));
          }
        },
        onEnd: () => done(reader.isInside ? new EtcdCallError(GRPC.internal, 'the answer ended too early', this.url, false) : this.statusError(told)),
        onFail: ({ unsent, reason }) => done(new EtcdCallError(GRPC.unavailable, readable(reason), this.url, unsent)),
      });
    };
    if (this.connection?.isUsable) open(this.connection);
    else this.connect().then(open, (error: Error) => done(new EtcdCallError(GRPC.unavailable, readable(error.message), this.url, true)));
    return {
      get isSent() {
        return stream !== undefined;
      },
      write: (more) => (stream ? stream.write(prefixed(more)) : early.push(more)),
      cancel: () => {
        over = true;
        stream?.cancel();
      },
    };
  }

  /** A call with one message and one answer. Throws {@link EtcdCallError}. */
  unary(method: string, token: string | undefined, message: Buffer, milliseconds: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let answer: Buffer | undefined;
      const call = this.begin(method, token, message, true, {
        onMessage: (received) => (answer = received),
        onDone: (error) => {
          cancelTimer();
          if (error) reject(error);
          else if (answer) resolve(answer);
          else reject(new EtcdCallError(GRPC.internal, 'there is no answer', this.url, false));
        },
      });
      const cancelTimer = this.clock.setTimeout(() => {
        call.cancel();
        reject(new EtcdCallError(GRPC.deadlineExceeded, `no answer within ${Math.round(milliseconds / 100) / 10} s`, this.url, !call.isSent));
      }, milliseconds);
    });
  }

  /** Ends the connection; calls under way fail. */
  close(): void {
    this.closed = true;
    this.dialed?.destroy('the connection was closed');
    this.connection?.destroy('the connection was closed');
  }

  private connect(): Promise<Http2Connection> {
    const { refusal } = this;
    if (refusal && this.clock.monotonic() < refusal.until) return Promise.reject(refusal.error);
    return (this.connecting ??= this.attempt().finally(() => {
      this.connecting = undefined;
    }));
  }

  private async attempt(): Promise<Http2Connection> {
    if (this.closed) throw new Error('the connection was closed');
    const connection = new Http2Connection(this.socket(), this.clock);
    this.dialed = connection;
    const cancel = this.clock.setTimeout(() => connection.destroy(`no connection within ${CONNECT_MILLISECONDS / 1000} s`), CONNECT_MILLISECONDS, { unref: true });
    try {
      await connection.ready;
      this.connection = connection;
      this.pause = FIRST_PAUSE_MILLISECONDS;
      this.refusal = undefined;
      return connection;
    } catch (error) {
      this.refusal = { error: error as Error, until: this.clock.monotonic() + this.pause };
      this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MILLISECONDS);
      throw error;
    } finally {
      cancel();
    }
  }

  private socket(): Socket {
    const { host, port } = this;
    if (!this.secure) return connectPlain({ host, port });
    const { ca, certificate, key } = this.location;
    const socket = connectTls({
      host, port, ALPNProtocols: ['h2'],
      ...(isIP(host) > 0 ? {} : { servername: host }),
      ...(ca ? { ca } : {}), ...(certificate ? { cert: certificate } : {}), ...(key ? { key } : {}),
    });
    socket.once('secureConnect', () => {
      if (socket.alpnProtocol !== 'h2') socket.destroy(new Error('the server does not speak HTTP/2'));
    });
    return socket;
  }

  private head(method: string, token: string | undefined): Buffer {
    if (token !== this.headsToken) {
      this.heads = new Map();
      this.headsToken = token;
    }
    let head = this.heads.get(method);
    if (!head) {
      const authority = `${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`;
      head = encodeHeaders([
        [':method', 'POST'], [':scheme', this.secure ? 'https' : 'http'], [':path', method], [':authority', authority],
        ['content-type', 'application/grpc'], ['te', 'trailers'], ...(token === undefined ? [] : [['token', token] as const]),
      ]);
      this.heads.set(method, head);
    }
    return head;
  }

  /** What the server says of the call at its end; undefined: all is well. */
  private statusError(headers: Headers): EtcdCallError | undefined {
    const status = headers.get('grpc-status');
    if (status === '0') return undefined;
    if (status !== undefined) return new EtcdCallError(Number(status), decodeMessage(headers.get('grpc-message') ?? `status ${status}`), this.url, false);
    const http = headers.get(':status') ?? '';
    return new EtcdCallError(http === '200' ? GRPC.internal : GRPC.unavailable, http === '200' ? 'the answer has no status' : `HTTP status ${http}`, this.url, false);
  }
}

/** Percent-encoded, as gRPC sends it; other text as it is. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Without what only the library's authors need. */
function readable(reason: string): string {
  return reason.replace(/[0-9A-F]{16}:error:[0-9A-F]+:SSL routines:[^:]*:([^:]*):[^\n]*/, '$1').trim();
}
