import type { AnyResponse } from './connection-identity.js';

/** Whether nobody reads a response any more; it has told so by `close` then. Responses of HTTP/2 do not keep it in mind themselves: their stream does. */
export function isClosed(response: AnyResponse): boolean {
  return 'stream' in response ? response.stream.destroyed : response.destroyed;
}
