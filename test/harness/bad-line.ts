import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * What a line does to what passes it: nothing; nothing passes, and nobody is told; everything comes late; every connection is reset
 * at once, and new ones are refused; or after half of the next piece of data.
 */
export type LineState = 'good' | 'silent' | 'late' | 'down' | 'half';

/** A TCP line to a server that breaks in the ways lines do. */
export interface BadLine {
  readonly port: number;
  /** Takes effect at once. After `silent`, what was held back passes. */
  set(state: LineState): void;
  close(): Promise<void>;
}

const LATE_MILLISECONDS = 40;

/** Starts one to a port of this host. */
export async function startBadLine(to: number): Promise<BadLine> {
  let state: LineState = 'good';
  const sockets = new Set<Socket>();
  const pumps = new Set<() => void>();
  const server = createServer({ noDelay: true }, (near) => {
    if (state === 'down') return void near.resetAndDestroy();
    const far = connect({ host: '127.0.0.1', port: to, noDelay: true });
    const reset = (): void => {
      near.resetAndDestroy();
      far.resetAndDestroy();
    };
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      const waiting: { readonly chunk: Buffer; readonly due: number }[] = [];
      // In order, whatever the line does meanwhile.
      const pump = (): void => {
        while (waiting.length > 0 && state !== 'silent') {
          const { chunk, due } = waiting[0]!;
          if (due > performance.now()) return void setTimeout(pump, due - performance.now() + 1);
          waiting.shift();
          if (state === 'half') return void other.write(chunk.subarray(0, Math.floor(chunk.length / 2)), reset);
          other.write(chunk);
        }
      };
      sockets.add(socket);
      pumps.add(pump);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        pumps.delete(pump);
        near.destroy();
        far.destroy();
      });
      socket.on('data', (chunk: Buffer) => {
        waiting.push({ chunk, due: state === 'late' ? performance.now() + LATE_MILLISECONDS : 0 });
        pump();
      });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      state = next;
      for (const pump of pumps) pump();
      if (next === 'down') for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
