import type { ApiRequest } from './api-request.js';

/** Bodies of this size keep the event loop busy at each of the steps that they go through. */
const LARGE_BYTES = 256 * 1024;

/** Lets others have their turn between two steps of a request with a large body. */
export function breathe({ body }: ApiRequest): Promise<void> | undefined {
  if (body.type !== 'bytes' || body.bytes.length < LARGE_BYTES) return undefined;
  return new Promise((resolve) => setImmediate(resolve));
}
