import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.js';
import { unauthorizedError } from '../../api/status-error.js';
import type { AuthenticationRequest, Authenticator, UserInfo } from '../authn/authenticator.js';

/** How long the user of a connection is taken as known when it proves its identity in the same way again. Upstream remembers tokens for 10 s. */
const REMEMBER_MILLISECONDS = 1_000;

interface Connection {
  /** Read once: asking TLS for it each time is costly. */
  readonly certificate: Buffer | undefined;
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
  ) {}

  /** Throws the 401 when nobody knows the client. */
  authenticate(request: AnyRequest): UserInfo | Promise<UserInfo> {
    const connection = this.connection(request);
    const { authorization } = request.headers;
    const plain = request.headers['sec-websocket-protocol'] === undefined;
    if (plain && connection.user && connection.authorization === authorization && this.clock.monotonic() < connection.userUntil) return connection.user;
    return this.ask(request, connection, plain);
  }

  private async ask(request: AnyRequest, connection: Connection, plain: boolean): Promise<UserInfo> {
    const bearerToken = webSocketToken(request.headers['sec-websocket-protocol']);
    const asked: AuthenticationRequest = {
      headers: request.headers,
      ...(connection.certificate ? { clientCertificate: connection.certificate } : {}),
      ...(bearerToken === undefined ? {} : { bearerToken }),
    };
    for (const authenticator of this.authenticators) {
      const user = await authenticator.authenticate(asked);
      if (!user) continue;
      if (plain) {
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
      connection = { certificate: raw, user: undefined, authorization: undefined, userUntil: 0 };
      this.connections.set(holder, connection);
    }
    return connection;
  }
}

/** Browsers cannot send headers with a WebSocket: the token then comes as a sub-protocol. */
function webSocketToken(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const prefix = 'base64url.bearer.authorization.k8s.io.';
  const protocol = String(header).split(',').map((part) => part.trim()).find((part) => part.startsWith(prefix));
  return protocol === undefined ? undefined : Buffer.from(protocol.slice(prefix.length), 'base64url').toString();
}
