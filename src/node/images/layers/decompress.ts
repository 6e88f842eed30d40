import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { errorCode, errorMessage } from '../../../base/errors.js';
import { ImageError, refused } from '../image-error.js';
import type { ImageLimits } from '../limits.js';

const CHUNK = 256 * 1024;

/** zstd decodes a piece in one go; small pieces keep the event loop free. */
const ZSTD_PIECE = 8 * 1024;

/** Which sizes apply to what is decompressed. */
export type DecompressLimits = Pick<ImageLimits, 'ratio' | 'ratioFloorBytes'> & { readonly maxBytes: number };

/**
 * The plain bytes of gzip, zstd or plain content, recognised by how it begins. Throws `KUBE_IMAGE_REFUSED` for damaged content and
 * for content that grows beyond the limits; errors of `source` pass through.
 */
export async function* decompressed(source: AsyncIterable<Buffer>, what: string, limits: DecompressLimits): AsyncGenerator<Buffer, void, void> {
  let taken = 0;
  let given = 0;
  const allow = (bytes: number): void => {
    given += bytes;
    if (given > limits.maxBytes) throw refused(`${what} has more than ${limits.maxBytes} bytes when uncompressed`);
    if (given > limits.ratioFloorBytes && given > taken * limits.ratio) throw refused(`${what} grows to more than ${limits.ratio} times its size when uncompressed`);
  };
  const iterator = source[Symbol.asyncIterator]();
  try {
    const head = await first(iterator, 4);
    const counted = (async function* (): AsyncGenerator<Buffer, void, void> {
      if (head.length > 0) {
        taken += head.length;
        yield head;
      }
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        taken += next.value.length;
        yield next.value;
      }
    })();
    for await (const bytes of decoder(head, counted, allow, what)) yield bytes;
  } finally {
    await iterator.return?.();
  }
}

function decoder(head: Buffer, source: AsyncIterable<Buffer>, allow: (bytes: number) => void, what: string): AsyncIterable<Buffer> {
  if (head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b) return through(zlib.createGunzip({ chunkSize: CHUNK }), source, allow, what);
  if (head.length >= 4 && isZstd(head.readUInt32LE(0))) {
    // Since Node 22.15 there is one in its thread pool.
    const make = (zlib as { readonly createZstdDecompress?: (options: { readonly chunkSize: number }) => Duplex }).createZstdDecompress;
    return make ? through(make({ chunkSize: CHUNK }), source, allow, what) : zstd(source, allow, what);
  }
  return plain(source, allow);
}

/** A zstd frame, or one to be skipped (RFC 8878). */
function isZstd(magic: number): boolean {
  return magic === 0xfd2fb528 || (magic >= 0x184d2a50 && magic <= 0x184d2a5f);
}

async function* plain(source: AsyncIterable<Buffer>, allow: (bytes: number) => void): AsyncGenerator<Buffer, void, void> {
  for await (const bytes of source) {
    allow(bytes.length);
    yield bytes;
  }
}

async function* through(stream: Duplex, source: AsyncIterable<Buffer>, allow: (bytes: number) => void, what: string): AsyncGenerator<Buffer, void, void> {
  const feeding = pipeline(Readable.from(source), stream).catch(() => undefined);
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      allow(bytes.length);
      yield bytes;
    }
  } catch (error) {
    throw damaged(error, what);
  } finally {
    stream.destroy();
    await feeding;
  }
}

async function* zstd(source: AsyncIterable<Buffer>, allow: (bytes: number) => void, what: string): AsyncGenerator<Buffer, void, void> {
  let ready: Buffer[] = [];
  const decoder = new Decompress((bytes) => {
    allow(bytes.length);
    // The decoder goes on using its own memory.
    ready.push(Buffer.from(bytes));
  });
  const push = (bytes: Uint8Array, final: boolean): void => {
    try {
      decoder.push(bytes, final);
    } catch (error) {
      throw error instanceof ImageError ? error : refused(`${what} is damaged: ${errorMessage(error)}`, error);
    }
  };
  const take = (): Buffer[] => {
    const taken = ready;
    ready = [];
    return taken;
  };
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; at += ZSTD_PIECE) {
      push(bytes.subarray(at, at + ZSTD_PIECE), false);
      yield* take();
    }
  }
  push(new Uint8Array(0), true);
  yield* take();
}

function damaged(error: unknown, what: string): unknown {
  return errorCode(error)?.startsWith('Z_') || errorCode(error)?.startsWith('ZSTD_') ? refused(`${what} is damaged: ${errorMessage(error)}`, error) : error;
}

async function first(iterator: AsyncIterator<Buffer>, bytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length < bytes) {
    const next = await iterator.next();
    if (next.done) break;
    parts.push(next.value);
    length += next.value.length;
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}
