import { createServer, type Server, type Socket } from 'node:net';
import type { CancelTimer, Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Resolver } from './resolver.js';

/** Connections at the same time; further ones are closed at once. */
const MOST_CONNECTIONS = 500;
/** Queries of a connection that wait for answers; then no more is read from it. */
const MOST_WAITING = 64;
/** A connection on which nothing was asked for so long is closed (RFC 7766, 6.2.3). */
const IDLE_MILLISECONDS = 10_000;
/** Unsent bytes at which no more is read from the connection. */
const MOST_UNSENT = 256 * 1024;

/** Answers queries over TCP, several per connection, in the order in which the answers are there (RFC 7766). */
export class TcpServer {
  private readonly server: Server;
  private readonly connections = new Set<Socket>();

  constructor(
    private readonly resolver: Resolver,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.server = createServer((socket) => this.accept(socket));
    this.server.maxConnections = MOST_CONNECTIONS;
  }

  /** Resolves with the port. Rejects when the address cannot be taken. */
  listen(address: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, address, () => {
        this.server.off('error', reject);
        this.server.on('error', (error) => this.log.warn('the DNS server reports an error', { error: errorMessage(error) }));
        const bound = this.server.address();
        resolve(typeof bound === 'object' && bound ? bound.port : port);
      });
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.connections) socket.destroy();
    await closed;
  }

  private accept(socket: Socket): void {
    this.connections.add(socket);
    let cancel: CancelTimer = () => undefined;
    const touch = (): void => {
      cancel();
      cancel = this.clock.setTimeout(() => socket.destroy(), IDLE_MILLISECONDS, { unref: true });
    };
    let rest: Buffer = Buffer.alloc(0);
    let waiting = 0;
    const take = (): void => {
      while (waiting < MOST_WAITING && socket.writableLength < MOST_UNSENT && rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const size = rest.readUInt16BE(0);
        const message = rest.subarray(2, 2 + size);
        rest = rest.subarray(2 + size);
        waiting += 1;
        touch();
        void this.resolver.resolve(message, 'tcp').then((answer) => {
          waiting -= 1;
          if (socket.destroyed) return;
          // What is no query ends the connection: the stream may be out of step.
          if (!answer) return void socket.destroy();
          const prefix = Buffer.alloc(2);
          prefix.writeUInt16BE(answer.length);
          socket.write(Buffer.concat([prefix, answer]));
          take();
        });
      }
      if (waiting >= MOST_WAITING || socket.writableLength >= MOST_UNSENT) socket.pause();
      else socket.resume();
    };
    touch();
    socket.on('data', (piece) => {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      take();
    });
    socket.on('drain', take);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      cancel();
      this.connections.delete(socket);
    });
  }
}
