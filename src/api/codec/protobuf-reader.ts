import { decodeError } from './decode-error.js';

/** How a field's value is laid out. */
const WireType = { Varint: 0, Fixed64: 1, Bytes: 2, Fixed32: 5 } as const;

/** Walks over the fields of one message. */
export class ProtobufReader {
  /** Of the field that {@link next} has found. */
  number = 0;
  wireType = 0;

  constructor(
    private readonly bytes: Buffer,
    private position: number,
    private readonly end: number,
  ) {}

  static of(bytes: Buffer): ProtobufReader {
    return new ProtobufReader(bytes, 0, bytes.length);
  }

  /** Moves to the next field; false at the end. Its value must then be read or skipped. */
  next(): boolean {
    if (this.position >= this.end) return false;
    const tag = this.small() ?? Number(this.varint());
    this.number = tag >>> 3;
    this.wireType = tag & 7;
    if (this.number === 0) throw malformed(`illegal tag ${this.number} (wire type ${this.wireType})`);
    return true;
  }

  /** A message, to be walked over itself. */
  message(): ProtobufReader {
    const length = this.length();
    const reader = new ProtobufReader(this.bytes, this.position, this.position + length);
    this.position += length;
    return reader;
  }

  buffer(): Buffer {
    const length = this.length();
    const slice = this.bytes.subarray(this.position, this.position + length);
    this.position += length;
    return slice;
  }

  text(): string {
    const length = this.length();
    const start = this.position;
    this.position = start + length;
    return this.bytes.toString('utf8', start, this.position);
  }

  boolean(): boolean {
    this.expect(WireType.Varint);
    return this.varint() !== 0n;
  }

  /** A signed number of up to 64 bits; beyond 2^53 the nearest double. */
  integer(): number {
    this.expect(WireType.Varint);
    return this.small() ?? Number(BigInt.asIntN(64, this.varint()));
  }

  double(): number {
    this.expect(WireType.Fixed64);
    this.need(8);
    const value = this.bytes.readDoubleLE(this.position);
    this.position += 8;
    return value;
  }

  /** Numbers of a repeated field: one, or several packed together. */
  integers(): number[] {
    if (this.wireType !== WireType.Bytes) return [this.integer()];
    const packed = this.message();
    const values: number[] = [];
    while (packed.position < packed.end) values.push(Number(BigInt.asIntN(64, packed.varint())));
    return values;
  }

  skip(): void {
    switch (this.wireType) {
      case WireType.Varint:
        this.varint();
        break;
      case WireType.Fixed64:
        this.need(8);
        this.position += 8;
        break;
      case WireType.Bytes:
        this.buffer();
        break;
      case WireType.Fixed32:
        this.need(4);
        this.position += 4;
        break;
      default:
        throw malformed(`illegal wireType ${this.wireType}`);
    }
  }

  private length(): number {
    this.expect(WireType.Bytes);
    const length = this.small() ?? Number(this.varint());
    this.need(length);
    return length;
  }

  private expect(wireType: number): void {
    if (this.wireType !== wireType) throw malformed(`wrong wireType = ${this.wireType} for field ${this.number}`);
  }

  private need(length: number): void {
    if (this.position + length > this.end) throw decodeError('unexpected EOF');
  }

  /** A number of up to 28 bits, as nearly all are; undefined, with nothing read, when it is longer. */
  private small(): number | undefined {
    const { bytes, end } = this;
    let value = 0;
    for (let shift = 0, at = this.position; shift < 28 && at < end; shift += 7) {
      const byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.position = at;
        return value;
      }
    }
    return undefined;
  }

  private varint(): bigint {
    let long = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      this.need(1);
      const byte = this.bytes[this.position++]!;
      long |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, long);
    }
    throw malformed('integer overflow');
  }
}

function malformed(message: string): Error {
  return decodeError(`proto: ${message}`);
}
