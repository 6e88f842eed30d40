import { createInflate, type Inflate } from 'node:zlib';
import { headerDictionary } from './dictionary.js';

/** Header names are lower case; a header with several values has them joined by NUL on the wire. */
export type SpdyHeaders = ReadonlyMap<string, readonly string[]>;

/** Largest stored block of DEFLATE. */
const MAX_STORED = 65_535;
/** An empty stored block, as a compressor's sync flush writes it. */
const FLUSH = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]);

/**
 * Writes header blocks. The stream that they form is zlib with a preset dictionary; nothing in it is compressed (stored
 * blocks only), which every inflater reads and which needs no compressor state.
 */
export class HeaderBlockWriter {
  private started = false;

  encode(headers: SpdyHeaders): Buffer {
    const plain = encodeHeaders(headers);
    const parts: Buffer[] = [];
    if (!this.started) {
      this.started = true;
      const head = Buffer.alloc(6);
      // CMF 0x78 (32 KiB window), FLG with FDICT set and the check bits that make the pair a multiple of 31.
      head.writeUInt16BE(0x78bb);
      head.writeUInt32BE(adler32(headerDictionary()), 2);
      parts.push(head);
    }
    for (let at = 0; at < plain.length || at === 0; at += MAX_STORED) {
      const piece = plain.subarray(at, at + MAX_STORED);
      const head = Buffer.alloc(5);
      head.writeUInt16LE(piece.length, 1);
      head.writeUInt16LE(piece.length ^ 0xffff, 3);
      parts.push(head, piece);
    }
    // An empty block is what makes an inflater hand out what it has: Go's waits for it.
    parts.push(FLUSH);
    return Buffer.concat(parts);
  }
}

/** Reads header blocks, which share one compression state and must be given in order. */
export class HeaderBlockReader {
  private readonly inflate: Inflate = createInflate({ dictionary: headerDictionary() });
  private failure: Error | undefined;

  constructor() {
    this.inflate.on('error', (error) => {
      this.failure = error;
    });
  }

  /** Rejects when the block is not valid; the connection is lost then. */
  async decode(block: Buffer): Promise<SpdyHeaders> {
    await new Promise<void>((resolve, reject) => {
      this.inflate.once('error', reject);
      this.inflate.write(block, (error) => {
        this.inflate.off('error', reject);
        if (error) reject(error);
        else resolve();
      });
    });
    if (this.failure) throw this.failure;
    const parts: Buffer[] = [];
    for (let part = this.inflate.read() as Buffer | null; part !== null; part = this.inflate.read() as Buffer | null) parts.push(part);
    return decodeHeaders(Buffer.concat(parts));
  }

  close(): void {
    this.inflate.destroy();
  }
}

function encodeHeaders(headers: SpdyHeaders): Buffer {
  const parts: Buffer[] = [uint32(headers.size)];
  for (const [name, values] of headers) {
    const key = Buffer.from(name.toLowerCase(), 'latin1');
    const value = Buffer.from(values.join('\0'), 'utf8');
    parts.push(uint32(key.length), key, uint32(value.length), value);
  }
  return Buffer.concat(parts);
}

function decodeHeaders(plain: Buffer): SpdyHeaders {
  const headers = new Map<string, readonly string[]>();
  if (plain.length < 4) throw new RangeError('SPDY header block is too short');
  let at = 4;
  const take = (): Buffer => {
    const length = plain.readUInt32BE(at);
    const end = at + 4 + length;
    if (end > plain.length) throw new RangeError('SPDY header block is cut off');
    const bytes = plain.subarray(at + 4, end);
    at = end;
    return bytes;
  };
  for (let count = plain.readUInt32BE(0); count > 0; count--) {
    const name = take().toString('latin1').toLowerCase();
    headers.set(name, take().toString('utf8').split('\0'));
  }
  return headers;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function adler32(bytes: Buffer): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return ((b << 16) | a) >>> 0;
}
