import { decodeHuffman } from './huffman.js';

/** Header fields by name; of a name that comes twice the last one. */
export type Headers = ReadonlyMap<string, string>;

/** The static table of RFC 7541, appendix A: `name` or `name=value`, from index 1 on. */
const STATIC = (
  ':authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|:status=200|:status=204|:status=206|:status=304|:status=400|' +
  ':status=404|:status=500|accept-charset|accept-encoding=gzip, deflate|accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|' +
  'authorization|cache-control|content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|cookie|' +
  'date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|' +
  'proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate'
).split('|').map((entry): readonly [string, string] => {
  const at = entry.indexOf('=');
  return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
});

/** Encodes header fields one by one, without any table: the same fields are always the same bytes. */
export function encodeHeaders(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  const bytes: number[] = [];
  for (const [name, value] of fields) {
    // Literal, not to be put into a table, with a name of its own.
    bytes.push(0);
    pushString(bytes, name);
    pushString(bytes, value);
  }
  return Buffer.from(bytes);
}

function pushString(bytes: number[], text: string): void {
  const buffer = Buffer.from(text);
  let rest = buffer.length;
  if (rest < 0x7f) bytes.push(rest);
  else {
    bytes.push(0x7f);
    for (rest -= 0x7f; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  }
  for (const byte of buffer) bytes.push(byte);
}

/**
 * Decodes the header fields of a peer that was told that the dynamic table has no room (`SETTINGS_HEADER_TABLE_SIZE` 0), so that each
 * block stands for itself. Throws a `RangeError` for a block that does not keep to that.
 */
export function decodeHeaders(block: Buffer): Headers {
  const headers = new Map<string, string>();
  let at = 0;
  const number = (bits: number): number => {
    const most = 2 ** bits - 1;
    let value = byteAt(block, at++) & most;
    if (value < most) return value;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = byteAt(block, at++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      if (factor > 2 ** 28) throw new RangeError('a number in a header is too large');
    }
  };
  const string = (): string => {
    const coded = (byteAt(block, at) & 0x80) !== 0;
    const length = number(7);
    const bytes = block.subarray(at, at + length);
    at += length;
    if (at > block.length) throw new RangeError('a header ends too early');
    return coded ? decodeHuffman(bytes) : bytes.toString('latin1');
  };
  const known = (index: number): readonly [string, string] => {
    const entry = STATIC[index - 1];
    if (!entry) throw new RangeError(`a header refers to entry ${index} of a table that has no room`);
    return entry;
  };
  while (at < block.length) {
    const first = byteAt(block, at);
    if (first >= 0x80) {
      const [name, value] = known(number(7));
      headers.set(name, value);
    } else if (first >= 0x20 && first < 0x40) number(5); // The size of the table, which is 0.
    else {
      const index = number(first >= 0x40 ? 6 : 4);
      const name = index > 0 ? known(index)[0] : string();
      headers.set(name, string());
    }
  }
  return headers;
}

function byteAt(block: Buffer, at: number): number {
  const byte = block[at];
  if (byte === undefined) throw new RangeError('a header ends too early');
  return byte;
}
