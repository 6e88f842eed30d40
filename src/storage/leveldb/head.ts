import { crc32 } from 'node:zlib';

/**
 * The record that every batch rewrites in the same atomic write as its changes. It describes the whole content,
 * so that a lost or altered record anywhere, also one that LevelDB itself would skip in silence, shows at the next start.
 */
export interface Head {
  /** Revision of the newest transaction. */
  readonly revision: number;
  /** Number of keys. */
  readonly keys: number;
  /** XOR of the checksums of all entries. */
  readonly digest: number;
}

/** The head of an empty store. */
export const emptyHead: Head = { revision: 0, keys: 0, digest: 0 };

export function encodeHead(head: Head): Buffer {
  const text = JSON.stringify([head.revision, head.keys, head.digest]);
  return Buffer.from(`${crc32(text).toString(16).padStart(8, '0')} ${text}`);
}

/** Undefined when the record is damaged. */
export function decodeHead(bytes: Buffer): Head | undefined {
  const text = bytes.toString('latin1');
  const body = text.slice(9);
  if (parseInt(text.slice(0, 8), 16) !== crc32(body) || text[8] !== ' ') return undefined;
  const [revision, keys, digest] = JSON.parse(body) as [number, number, number];
  return { revision, keys, digest };
}
