import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { badRequestError, requestEntityTooLargeError, timeoutError } from '../../api/status-error.js';

/**
 * Node takes no body off requests that ask for another protocol; but those that are answered in HTTP all the same mean what they say in it.
 * `head`: what has come with the headers. Throws a `Status` when the body is too long, does not come, or has no length.
 */
export function readUpgradeBody(request: IncomingMessage, socket: Duplex, head: Buffer, limit: number, clock: Clock, milliseconds: number): Promise<Buffer> {
  if (request.headers['transfer-encoding'] !== undefined) return Promise.reject(badRequestError('a request that asks for another protocol must say how long its body is'));
  const wanted = Number(request.headers['content-length'] ?? 0);
  if (wanted > limit) return Promise.reject(requestEntityTooLargeError(`Request entity too large: limit is ${limit}`));
  if (head.length >= wanted) return Promise.resolve(head.subarray(0, wanted));
  return new Promise((resolve, reject) => {
    const chunks = [head];
    let length = head.length;
    const settle = (act: () => void): void => {
      cancel();
      socket.off('data', take);
      socket.off('end', gone);
      socket.off('close', gone);
      act();
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= wanted) settle(() => resolve(Buffer.concat(chunks).subarray(0, wanted)));
    };
    const gone = (): void => settle(() => reject(badRequestError('the client closed the connection before the body was complete')));
    const cancel = clock.setTimeout(() => settle(() => reject(timeoutError('request did not complete within the allotted timeout'))), milliseconds, { unref: true });
    socket.on('data', take);
    socket.on('end', gone);
    socket.on('close', gone);
  });
}
