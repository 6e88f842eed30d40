/** Before each message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

/** A message as gRPC sends it. */
export function prefixed(message: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  message.copy(bytes, PREFIX_BYTES);
  return bytes;
}

/** Puts the messages of one gRPC stream together again. */
export class MessageReader {
  private parts: Buffer[] = [];
  private length = 0;

  /** Whether a message has begun that is not whole yet. */
  get isInside(): boolean {
    return this.length > 0;
  }

  /** The messages that `data` completes. Throws a `RangeError` for compressed ones, which nobody asked for. */
  *read(data: Buffer): Generator<Buffer> {
    this.parts.push(data);
    this.length += data.length;
    while (this.length >= PREFIX_BYTES) {
      const head = this.peek();
      if (head[0] !== 0) throw new RangeError('a compressed message was received');
      const end = PREFIX_BYTES + head.readUInt32BE(1);
      if (this.length < end) return;
      const all = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts, this.length);
      this.parts = all.length > end ? [all.subarray(end)] : [];
      this.length -= end;
      yield all.subarray(PREFIX_BYTES, end);
    }
  }

  private peek(): Buffer {
    const [first] = this.parts;
    if (first!.length >= PREFIX_BYTES) return first!;
    this.parts = [Buffer.concat(this.parts, this.length)];
    return this.parts[0]!;
  }
}
