import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { crc32Combine } from '../../base/crc32-combine.js';

/** A part of a text that has been compressed by itself, so that only what changes in a document is compressed again. */
export interface GzipPiece {
  /** Whole blocks of deflate that end at a byte. */
  readonly blocks: Buffer;
  readonly crc: number;
  /** Length of the text in bytes. */
  readonly length: number;
}

/** Speed counts, too: hundreds of these are made when a document is first asked for. */
const OPTIONS = { level: 4, finishFlush: constants.Z_SYNC_FLUSH };
/** Magic number, deflate, no flags, no time, unknown system: RFC 1952. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty block that is the last one. */
const LAST_BLOCK = Buffer.from([3, 0]);
const compress = promisify(deflateRaw) as (text: Buffer, options: object) => Promise<Buffer>;

/** Compresses a part, in another thread. */
export async function gzipPiece(text: Buffer): Promise<GzipPiece> {
  return { blocks: await compress(text, OPTIONS), crc: crc32(text), length: text.length };
}

/** Stands between entries. */
export const COMMA = gzipPiece(Buffer.from(','));

/** The gzip stream of the text that the parts make. */
export function gzipOf(pieces: readonly GzipPiece[]): Buffer {
  let crc = 0;
  let size = 0;
  for (const piece of pieces) {
    crc = crc32Combine(crc, piece.crc, piece.length);
    size += piece.length;
  }
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc, 0);
  tail.writeUInt32LE(size % 2 ** 32, 4);
  return Buffer.concat([HEAD, ...pieces.map(({ blocks }) => blocks), LAST_BLOCK, tail]);
}
