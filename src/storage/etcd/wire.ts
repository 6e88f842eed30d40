/** Writes one protobuf message (proto3: zero, empty and false are left out by the caller's methods). */
export class WireWriter {
  private readonly parts: Buffer[] = [];
  private length = 0;

  /** An `int64`, `uint64`, `bool` or enum that is not negative. */
  number(field: number, value: number | bigint | boolean): this {
    const wanted = typeof value === 'boolean' ? Number(value) : value;
    if (wanted === 0 || wanted === 0n) return this;
    return this.varint(field * 8).varint(wanted);
  }

  /** `bytes` or a `string`. */
  bytes(field: number, value: Buffer | string): this {
    const buffer = typeof value === 'string' ? Buffer.from(value) : value;
    return buffer.length === 0 ? this : this.delimited(field, buffer.length).add(buffer);
  }

  /** A message inside this one; written also when it is empty. */
  message(field: number, value: WireWriter): this {
    this.delimited(field, value.length);
    for (const part of value.parts) this.add(part);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.parts, this.length);
  }

  private delimited(field: number, length: number): this {
    return this.varint(field * 8 + 2).varint(length);
  }

  private varint(value: number | bigint): this {
    if (typeof value === 'number' && value < 0x80) return this.add(ONE_BYTE.subarray(value, value + 1));
    const bytes: number[] = [];
    if (typeof value === 'number') {
      // Without the detour over a `bigint`: lengths and revisions are plain numbers.
      let rest = value;
      for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
      bytes.push(rest);
      return this.add(Buffer.from(bytes));
    }
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    return this.add(Buffer.from(bytes));
  }

  private add(part: Buffer): this {
    this.parts.push(part);
    this.length += part.length;
    return this;
  }
}

const ONE_BYTE = Buffer.from(Array.from({ length: 0x80 }, (_, i) => i));

/**
 * Reads one protobuf message field by field: `while (reader.next()) switch (reader.field) …`. A field whose value is not taken
 * is skipped. Throws a `RangeError` when the bytes end too early.
 */
export class WireReader {
  field = 0;
  private at = 0;
  private type = -1;

  constructor(private readonly buffer: Buffer) {}

  /** Goes to the next field; false at the end. */
  next(): boolean {
    if (this.type >= 0) this.skip();
    if (this.at >= this.buffer.length) return false;
    const tag = this.varint();
    this.field = Math.floor(tag / 8);
    this.type = tag % 8;
    return true;
  }

  /** A number below 2^53, as revisions and counts are. */
  number(): number {
    this.type = -1;
    return this.varint();
  }

  /** All 64 bits. */
  bigint(): bigint {
    this.type = -1;
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  boolean(): boolean {
    return this.number() !== 0;
  }

  /** A slice of the message's own memory. */
  bytes(): Buffer {
    this.type = -1;
    const length = this.varint();
    const start = this.at;
    this.at += length;
    if (this.at > this.buffer.length) throw new RangeError('a protobuf message ends too early');
    return this.buffer.subarray(start, this.at);
  }

  string(): string {
    return this.bytes().toString();
  }

  private skip(): void {
    if (this.type === 0) this.bigint();
    else if (this.type === 1) this.at += 8;
    else if (this.type === 2) this.bytes();
    else if (this.type === 5) this.at += 4;
    else throw new RangeError(`a protobuf message has a field of unknown type ${this.type}`);
    this.type = -1;
  }

  private varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  private byte(): number {
    const byte = this.buffer[this.at++];
    if (byte === undefined) throw new RangeError('a protobuf message ends too early');
    return byte;
  }
}
