import { FLAG, HEADER_LENGTH, TYPE } from './constants.js';
import { readName } from './names.js';
import { records, skipQuestions } from './walk.js';

/** Record data with names in it: bytes before the names, how many, and whether they may be compressed (RFC 3597: those of RFC 1035 only). */
const DATA = new Map<number, { readonly before: number; readonly names: number; readonly compress: boolean }>([
  [TYPE.NS, { before: 0, names: 1, compress: true }],
  [TYPE.CNAME, { before: 0, names: 1, compress: true }],
  [TYPE.PTR, { before: 0, names: 1, compress: true }],
  [TYPE.SOA, { before: 0, names: 2, compress: true }],
  [TYPE.MX, { before: 2, names: 1, compress: true }],
  [TYPE.SRV, { before: 6, names: 1, compress: false }],
]);

/** Pointers have 14 bits. */
const FARTHEST = 0x3fff;

class Writer {
  private bytes: Buffer;
  private readonly seen = new Map<string, number>();
  length = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  append(piece: Buffer): void {
    if (this.length + piece.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + piece.length));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    piece.copy(this.bytes, this.length);
    this.length += piece.length;
  }

  name(wire: Buffer, compress: boolean): void {
    const text = wire.toString('latin1');
    let at = 0;
    while (wire[at]) {
      const suffix = text.slice(at);
      const known = this.seen.get(suffix);
      if (known !== undefined && compress) {
        this.append(Buffer.from([0xc0 | (known >> 8), known & 0xff]));
        return;
      }
      if (known === undefined && this.length <= FARTHEST) this.seen.set(suffix, this.length);
      const size = wire[at]! + 1;
      this.append(wire.subarray(at, at + size));
      at += size;
    }
    this.append(wire.subarray(at, at + 1));
  }

  /** Forgets what was written after `length`, and the names in it. */
  cut(length: number): void {
    this.length = length;
    for (const [suffix, at] of this.seen) if (at >= length) this.seen.delete(suffix);
  }

  patch(value: number, offset: number): void {
    this.bytes.writeUInt16BE(value, offset);
  }

  result(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

/**
 * The same message with compressed names (RFC 1035, 4.1.4) in at most `limit` bytes: records that no longer fit are left out, from the
 * end, and then the truncation flag is set. Names keep their case. Throws `MalformedMessage` for a message that is none.
 */
export function pack(message: Buffer, limit: number): Buffer {
  const out = new Writer(message.length + 64);
  out.append(message.subarray(0, HEADER_LENGTH));
  let offset = HEADER_LENGTH;
  for (const end = skipQuestions(message); offset < end; ) {
    const name = readName(message, offset);
    out.name(name.wire, true);
    out.append(message.subarray(name.end, name.end + 4));
    offset = name.end + 4;
  }
  const counts = [0, 0, 0];
  for (const record of records(message)) {
    const start = out.length;
    out.name(readName(message, record.start).wire, true);
    out.append(message.subarray(record.fixed, record.data));
    const body = out.length;
    const layout = DATA.get(record.type);
    let at = record.data;
    if (layout) {
      out.append(message.subarray(at, at + layout.before));
      at += layout.before;
      for (let count = 0; count < layout.names && at < record.end; count++) {
        const name = readName(message, at);
        out.name(name.wire, layout.compress);
        at = name.end;
      }
    }
    if (at < record.end) out.append(message.subarray(at, record.end));
    out.patch(out.length - body, body - 2);
    if (out.length > limit) {
      out.cut(start);
      out.patch(message.readUInt16BE(2) | FLAG.TC, 2);
      break;
    }
    counts[record.section - 1]! += 1;
  }
  counts.forEach((count, i) => out.patch(count, 6 + 2 * i));
  return out.result();
}

