const FIRST_BYTES = 16 << 10;
/** A buffer that a single huge object made is not kept for the next. */
const KEPT_BYTES = 1 << 20;
/** Strings up to this length are copied character by character as long as they are ASCII, which is faster than a call. */
const SHORT_TEXT = 40;

/**
 * Writes protobuf messages from their end to their beginning: the length of a message is then known when its head is written. Fields and elements
 * must therefore be given in reverse.
 */
export class ProtobufWriter {
  private buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private at = FIRST_BYTES;

  /** Bytes written since the last {@link take}. */
  get length(): number {
    return this.buffer.length - this.at;
  }

  /** Hands out what was written, in memory of its own, and begins anew. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.length);
    this.buffer.copy(bytes, 0, this.at);
    this.reset();
    return bytes;
  }

  /** Forgets what was written, as after an error. */
  reset(): void {
    if (this.buffer.length > KEPT_BYTES) this.buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.at = this.buffer.length;
  }

  /** A number of up to 32 bits that is not negative: tags, lengths. */
  varint(value: number): void {
    if (this.at < 5) this.reserve(5);
    if (value < 0x80) {
      this.buffer[--this.at] = value;
      return;
    }
    const { buffer } = this;
    let size = 1;
    for (let rest = value >>> 7; rest !== 0; rest >>>= 7) size++;
    let at = (this.at -= size);
    let rest = value;
    for (; size > 1; size--) {
      buffer[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    buffer[at] = rest;
  }

  /** A whole number of up to 64 bits, negative ones in two's complement. */
  integer(value: number): void {
    if (value >= 0 && value <= 0xffffffff) return this.varint(value);
    this.reserve(10);
    const bytes: number[] = [];
    for (let rest = BigInt.asUintN(64, BigInt(Math.trunc(value))); ; rest >>= 7n) {
      if (rest < 0x80n) {
        bytes.push(Number(rest));
        break;
      }
      bytes.push(Number(rest & 0x7fn) | 0x80);
    }
    this.at -= bytes.length;
    for (let i = 0; i < bytes.length; i++) this.buffer[this.at + i] = bytes[i]!;
  }

  double(value: number): void {
    this.reserve(8);
    this.at -= 8;
    this.buffer.writeDoubleLE(value, this.at);
  }

  /** Bytes with their length. */
  bytes(value: Buffer): void {
    this.raw(value);
    this.varint(value.length);
  }

  /** Bytes as they are. */
  raw(value: Buffer): void {
    this.reserve(value.length);
    this.at -= value.length;
    value.copy(this.buffer, this.at);
  }

  /** Text as UTF-8 with its length. */
  text(value: string): void {
    const { length } = value;
    if (length <= SHORT_TEXT && this.ascii(value)) return this.varint(length);
    const size = Buffer.byteLength(value);
    this.reserve(size);
    this.at -= size;
    this.buffer.write(value, this.at);
    this.varint(size);
  }

  /** Base64 as the bytes it stands for, with their length. */
  base64(value: string): void {
    const most = Math.ceil((value.length * 3) / 4);
    this.reserve(most);
    const size = Buffer.byteLength(value, 'base64');
    this.at -= size;
    this.buffer.write(value, this.at, 'base64');
    this.varint(size);
  }

  private ascii(value: string): boolean {
    if (this.at < SHORT_TEXT) this.reserve(SHORT_TEXT);
    const { buffer } = this;
    let at = this.at;
    for (let i = value.length - 1; i >= 0; i--) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return false;
      buffer[--at] = code;
    }
    this.at = at;
    return true;
  }

  private reserve(size: number): void {
    if (this.at >= size) return;
    const used = this.length;
    const bigger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, used + size));
    this.buffer.copy(bigger, bigger.length - used, this.at);
    this.at = bigger.length - used;
    this.buffer = bigger;
  }
}
