import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';

/** A client that has sent nothing for so long has read the answer, or never will; upstream's server waits as long. */
const QUIET_MILLISECONDS = 500;
/** Who goes on sending for longer is cut off. */
const LONGEST_MILLISECONDS = 10_000;

/**
 * Sends the last answer of a connection and closes it when the client has become quiet. Closed at once, with bytes of the request not taken yet, the
 * connection would be reset, and the client might never see the answer. Whoever takes the bytes calls what is returned for each of them.
 */
export function endAndLinger(socket: Duplex, answer: Buffer | string, clock: Clock): () => void {
  const destroy = (): void => void socket.destroy();
  const cancelLongest = clock.setTimeout(destroy, LONGEST_MILLISECONDS, { unref: true });
  let cancelQuiet = clock.setTimeout(destroy, QUIET_MILLISECONDS, { unref: true });
  socket.once('close', () => {
    cancelLongest();
    cancelQuiet();
  });
  socket.end(answer);
  return () => {
    if (socket.destroyed) return;
    cancelQuiet();
    cancelQuiet = clock.setTimeout(destroy, QUIET_MILLISECONDS, { unref: true });
  };
}
