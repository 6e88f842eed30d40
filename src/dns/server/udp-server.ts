import { createSocket, type Socket } from 'node:dgram';
import type { Logger } from '../../base/log.js';
import { errorMessage } from '../../base/errors.js';
import type { Resolver } from './resolver.js';

/** Answers datagrams. */
export class UdpServer {
  private socket: Socket | undefined;

  constructor(
    private readonly resolver: Resolver,
    private readonly log: Logger,
  ) {}

  /** Resolves with the port. Rejects when the address cannot be taken. */
  listen(address: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1024 * 1024 });
      this.socket = socket;
      socket.once('error', reject);
      socket.bind(port, address, () => {
        socket.off('error', reject);
        socket.on('error', (error) => this.log.warn('the DNS socket reports an error', { error: errorMessage(error) }));
        resolve(socket.address().port);
      });
      socket.on('message', (message, { port: toPort, address: toAddress }) => {
        // Port 0 cannot be answered, and Node throws.
        if (toPort === 0) return;
        void this.resolver.resolve(message, 'udp').then((answer) => {
          // A client that has gone is no matter of ours.
          if (answer && this.socket === socket) socket.send(answer, toPort, toAddress, () => undefined);
        });
      });
    });
  }

  async close(): Promise<void> {
    const { socket } = this;
    this.socket = undefined;
    if (socket) await new Promise<void>((resolve) => socket.close(resolve));
  }
}
