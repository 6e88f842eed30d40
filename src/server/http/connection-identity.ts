import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.js';
import { unauthorizedError } from '../../api/status-error.js';
import type { AuthenticationRequest, Authenticator, UserInfo } from '../authn/authenticator.js';
import { ANONYMOUS } from '../authn/users.js';

/** How long the user of a connection is taken as known when it proves its identity in the same way again. Upstream remembers tokens for 10 s. */
const REMEMBER_MILLISECONDS = 1_000;

interface Connection {
  /** Read once: asking TLS for it each time is costly. */
  readonly certificate: Buffer | undefined;
  readonly chain: () => readonly Buffer[];
  user: UserInfo | undefined;
  /** The `Authorization` header that gave `user`. */
  authorization: string | undefined;
  userUntil: number;
}

export type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;

/** Finds out who makes a request; the client's certificate is read once per connection. */
export class RequestAuthenticator {
  private readonly connections = new WeakMap<object, Connection>();

  constructor(
    private readonly authenticators: readonly Authenticator[],
    private readonly clock: Clock,
    /** Lower-case names of headers that say who makes a request: they differ from one request of a connection to the next. */
    private readonly identityHeaders: readonly string[] = [],
  ) {}

  /** Throws the 401 when nobody knows the client. */
  authenticate(request: AnyRequest, path: string): UserInfo | Promise<UserInfo> {
    const connection = this.connection(request);
    const { authorization } = request.headers;
    const plain = request.headers['sec-websocket-protocol'] === undefined && !this.identityHeaders.some((name) => request.headers[name] !== undefined);
    if (plain && connection.user && connection.authorization === authorization && this.clock.monotonic() < connection.userUntil) return connection.user;
    return this.ask(request, connection, path, plain);
  }

  private async ask(request: AnyRequest, connection: Connection, path: string, plain: boolean): Promise<UserInfo> {
    const bearerToken = webSocketToken(request.headers['sec-websocket-protocol']);
    const asked: AuthenticationRequest = {
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      path,
      ...(connection.certificate ? { clientCertificate: connection.certificate, clientChain: connection.chain } : {}),
      ...(bearerToken === undefined ? {} : { bearerToken }),
    };
    for (const authenticator of this.authenticators) {
      const user = await authenticator.authenticate(asked);
      if (!user) continue;
      // The anonymous user may be let in on some paths only.
      if (plain && user.name !== ANONYMOUS.name) {
        connection.user = user;
        connection.authorization = request.headers.authorization;
        connection.userUntil = this.clock.monotonic() + REMEMBER_MILLISECONDS;
      }
      return user;
    }
    throw unauthorizedError();
  }

  private connection(request: AnyRequest): Connection {
    const holder: object = 'stream' in request ? (request.stream.session ?? request.stream) : request.socket;
    let connection = this.connections.get(holder);
    if (!connection) {
      const socket = 'stream' in request ? (request.stream.session?.socket as TLSSocket | undefined) : (request.socket as TLSSocket);
      const raw = socket?.getPeerCertificate?.()?.raw as Buffer | undefined;
      connection = { certificate: raw, chain: () => chainOf(socket), user: undefined, authorization: undefined, userUntil: 0 };
      this.connections.set(holder, connection);
    }
    return connection;
  }
}

/** What the client sent along with its certificate. */
function chainOf(socket: TLSSocket | undefined): readonly Buffer[] {
  const chain: Buffer[] = [];
  let certificate = socket?.getPeerCertificate(true);
  for (let next = certificate?.issuerCertificate; certificate && next && next !== certificate; next = certificate.issuerCertificate) {
    chain.push(next.raw);
    certificate = next;
  }
  return chain;
}

/** Browsers cannot send headers with a WebSocket: the token then comes as a sub-protocol. */
function webSocketToken(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const prefix = 'base64url.bearer.authorization.k8s.io.';
  const protocol = String(header).split(',').map((part) => part.trim()).find((part) => part.startsWith(prefix));
  return protocol === undefined ? undefined : Buffer.from(protocol.slice(prefix.length), 'base64url').toString();
}
