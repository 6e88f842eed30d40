import type { ApiRequest } from './api-request.js';

/** `fieldManager` may be this long (bytes). */
const MAX_BYTES = 128;
const PLAIN = /^[ -~]*$/;
/** Printable in Go's sense: letters, marks, numbers, punctuation, symbols and the ASCII space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Who a write's fields belong to: the `fieldManager` parameter, or else the user agent up to its first slash. */
export function managerName(request: ApiRequest, fieldManager: string): string {
  return fieldManager === '' ? fromUserAgent(request.userAgent) : fieldManager;
}

function fromUserAgent(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  const name = slash < 0 ? userAgent : userAgent.slice(0, slash);
  if (name.length <= MAX_BYTES && PLAIN.test(name)) return name;
  let result = '';
  let bytes = 0;
  for (const character of name) {
    if (!PRINTABLE.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    result += character;
  }
  return result;
}
