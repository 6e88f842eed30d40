import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { sleep, type Clock } from '../../base/clock.js';
import { KubeError, errorCode, errorMessage } from '../../base/errors.js';
import { hostProblem } from './host-problem.js';
import { toOriginForm } from './origin-form.js';
import { Refusals } from './refusals.js';

/** Memory of one HTTP/2 session, in megabytes: watches queue more than Node's default of 10 allows. */
const MAX_SESSION_MEMORY = 1000;
const MAX_STREAMS = 1000;
/** Go's clients keep idle connections for 90 seconds. */
const KEEP_ALIVE_MILLISECONDS = 120_000;
/** Silent peers are asked after this whether they are still there; upstream's period. */
const PROBE_MILLISECONDS = 180_000;
const POLL_MILLISECONDS = 20;
/** Long selectors make long request lines; upstream takes as much. */
const MAX_HEADER_BYTES = 1 << 20;

/** Requests that a connection may send before those ahead of them are answered. */
const MAX_WAITING = 1000;

export interface ListenerOptions {
  readonly host: string;
  /** Further addresses, with the same port. */
  readonly alsoHosts?: readonly string[];
  /** 0: a free one. */
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
  /** PEM of the authorities whose client certificates are asked for; none when empty. */
  readonly clientCa: string;
}

export interface ListenerHandlers {
  onRequest(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): void;
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** The TLS port: HTTP/1.1 and HTTP/2 side by side, client certificates asked for but judged later. */
export class Listener {
  private readonly server: Http2SecureServer;
  private also: readonly Server[] = [];
  private readonly sockets = new Set<Socket>();
  /** Requests of a connection that wait for the answers ahead of theirs. */
  private readonly waiting = new WeakMap<Socket, number>();
  private readonly refusals: Refusals;
  private readonly sessions = new Set<ServerHttp2Session>();
  private active = 0;
  private bound: AddressInfo | undefined;

  constructor(
    private readonly options: ListenerOptions,
    handlers: ListenerHandlers,
    private readonly clock: Clock,
  ) {
    this.refusals = new Refusals(clock);
    this.server = createSecureServer({
      allowHTTP1: true,
      cert: options.certificate,
      key: options.key,
      ...(options.clientCa === '' ? {} : { requestCert: true, rejectUnauthorized: false, ca: options.clientCa }),
      maxSessionMemory: MAX_SESSION_MEMORY,
      settings: { maxConcurrentStreams: MAX_STREAMS, initialWindowSize: 1 << 20 },
    });
    // Not in the types, since it belongs to the HTTP/1 half.
    Object.assign(this.server, { keepAliveTimeout: KEEP_ALIVE_MILLISECONDS, maxHeaderSize: MAX_HEADER_BYTES });
    this.server.setTimeout(0);
    this.server.on('request', (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => {
      const serve = (): void => {
        this.active++;
        response.once('close', () => this.active--);
        const problem = 'stream' in response ? undefined : hostProblem(request as IncomingMessage);
        if (problem === undefined) handlers.onRequest(request, response);
        else (response as ServerResponse).writeHead(400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(problem);
      };
      if ('stream' in response) return serve();
      toOriginForm(request as IncomingMessage);
      this.refusals.begun(request.socket, response);
      if (response.socket) serve();
      else this.serveInTurn(request.socket as Socket, response as ServerResponse, serve);
    });
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      toOriginForm(request);
      handlers.onUpgrade(request, socket, head);
    });
    this.server.on('session', (session) => {
      this.sessions.add(session);
      session.on('close', () => this.sessions.delete(session));
      session.on('error', () => session.destroy());
    });
    this.server.on('secureConnection', (socket: Socket) => this.track(socket));
    this.server.on('connection', (socket: Socket) => this.track(socket));
    this.server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
    this.server.on('sessionError', () => undefined);
    this.server.on('clientError', (error: Error, socket: Duplex) => this.refusals.refuse(error, socket));
  }

  /** Where it listens; only after {@link start}. */
  get address(): { readonly host: string; readonly port: number } {
    return { host: this.options.host, port: this.bound?.port ?? this.options.port };
  }

  /** Throws `KUBE_SERVER_LISTEN` when the address cannot be taken. */
  async start(): Promise<void> {
    const { host, port, alsoHosts = [] } = this.options;
    await listen(this.server, host, port);
    const bound = this.server.address() as AddressInfo;
    // One TLS server speaks on all of them: the others only take connections in.
    this.also = alsoHosts.map(() => createServer((socket) => this.server.emit('connection', socket)));
    try {
      await Promise.all(this.also.map((server, index) => listen(server, alsoHosts[index]!, bound.port)));
    } catch (error) {
      this.server.close();
      for (const server of this.also) server.close();
      throw error;
    }
    this.bound = bound;
  }

  /** Takes no more connections, lets requests finish within the deadline, then closes the rest. */
  async stop(deadlineMilliseconds: number): Promise<void> {
    if (!this.bound) return;
    this.bound = undefined;
    const closed = Promise.all([this.server, ...this.also].map((server) => new Promise<void>((resolve) => void server.close(() => resolve()))));
    for (const session of this.sessions) session.close();
    const end = this.clock.monotonic() + deadlineMilliseconds;
    while (this.active > 0 && this.clock.monotonic() < end) await sleep(this.clock, POLL_MILLISECONDS);
    for (const session of this.sessions) session.destroy();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /**
   * A request that was sent before the one ahead of it was answered. It has no connection until that is done, and hears nothing of its end: it is
   * not begun before, and thrown away when the connection closes.
   */
  private serveInTurn(socket: Socket, response: ServerResponse, serve: () => void): void {
    const waiting = (this.waiting.get(socket) ?? 0) + 1;
    if (waiting > MAX_WAITING) return void socket.destroy();
    this.waiting.set(socket, waiting);
    response.once('socket', () => {
      this.waiting.set(socket, this.waiting.get(socket)! - 1);
      serve();
    });
  }

  private track(socket: Socket): void {
    if (this.sockets.has(socket)) return;
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, PROBE_MILLISECONDS);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.sockets.delete(socket));
  }
}

/** Listens, or throws `KUBE_SERVER_LISTEN` with the reason. */
function listen(server: Server | Http2SecureServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      const why = errorCode(error) === 'EADDRINUSE' ? 'the port is in use' : errorCode(error) === 'EACCES' ? 'permission denied' : errorMessage(error);
      reject(new KubeError('KUBE_SERVER_LISTEN', `cannot listen on ${host}:${port}: ${why}`, { cause: error }));
    };
    server.once('error', failed);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}
