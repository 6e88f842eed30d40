import { requestEntityTooLargeError, badRequestError } from '../../api/status-error.js';
import type { AnyRequest } from './connection-identity.js';

const NOTHING = Buffer.alloc(0);

/** Reads a whole body. Throws a 413 `Status` when it is longer than `limit` bytes, a 400 when it breaks off. */
export function readBody(request: AnyRequest, limit: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? NaN);
  if (declared === 0) return Promise.resolve(NOTHING);
  if (declared > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    // Every request is closed at some time: an error is made of it only when somebody waits.
    let waiting = true;
    const settle = (act: () => void): void => {
      if (!waiting) return;
      waiting = false;
      act();
    };
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        request.removeAllListeners('data');
        request.resume();
        settle(() => reject(tooLarge(limit)));
      } else chunks.push(chunk);
    });
    request.on('end', () => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length))));
    request.on('error', (error) => settle(() => reject(badRequestError(`the body could not be read: ${error.message}`))));
    // A stream of HTTP/2 whose answer is written already ends without `aborted`.
    for (const event of ['aborted', 'close']) request.on(event, () => settle(() => reject(badRequestError('the client closed the connection before the body was complete'))));
  });
}

function tooLarge(limit: number): Error {
  return requestEntityTooLargeError(`Request entity too large: limit is ${limit}`);
}
