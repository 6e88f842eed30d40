import { constants, open } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { errorCode } from '../../../base/errors.js';

/** Name of the pipe in a bundle of which the monitor alone holds the writing end. */
export const LIFE_PIPE = 'life';

const openFile = promisify(open);

/** Tells when the monitor of a container is gone, however it went: the kernel ends its pipe. Nobody polls. */
export class MonitorWatch {
  private readonly pipes = new Map<string, Socket>();

  constructor(private readonly gone: (id: string) => void) {}

  /** Watches the monitor of a container; one that is gone already is told of at once. */
  async add(id: string, bundle: string): Promise<void> {
    const fd = await openFile(`${bundle}/${LIFE_PIPE}`, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (fd === undefined) return;
    const pipe = new Socket({ fd, readable: true, writable: false });
    this.pipes.set(id, pipe);
    pipe.unref();
    pipe.on('error', () => undefined);
    pipe.once('close', () => {
      if (this.pipes.get(id) !== pipe) return;
      this.pipes.delete(id);
      this.gone(id);
    });
    pipe.resume();
  }

  /** Watches none any more. */
  close(): void {
    const pipes = [...this.pipes.values()];
    this.pipes.clear();
    for (const pipe of pipes) pipe.destroy();
  }
}
