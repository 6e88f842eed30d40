import { ProtobufWriter } from '../../api/codec/protobuf-writer.js';
import { nextTurn } from '../../base/steps.js';
import { message, namedOf, put, type Field, type Kind } from './protobuf-message.js';

/** Bytes encoded before others get their turn. */
const BYTES_PER_TURN = 64 << 10;

/** The entries of a map, each in field `number`. */
export async function mapEntries(map: Readonly<Record<string, unknown>>, number: number, kind: Kind): Promise<Buffer> {
  const entry = namedOf(kind);
  const writer = new ProtobufWriter();
  const made: Buffer[] = [];
  let bytes = 0;
  for (const item of Object.entries(map)) {
    put(writer, number, entry, item);
    const written = writer.take();
    made.push(written);
    if ((bytes += written.length) < BYTES_PER_TURN) continue;
    bytes = 0;
    await nextTurn();
  }
  return Buffer.concat(made);
}

/** Tag and length of a message made of `parts`. */
export function headOf(number: number, parts: readonly { readonly length: number }[]): Buffer {
  const writer = new ProtobufWriter();
  writer.varint(parts.reduce((sum, { length }) => sum + length, 0));
  writer.varint((number << 3) | 2);
  return writer.take();
}

/** Fields of an object as they stand inside of a message. */
export function fieldsOf(fields: readonly Field[], object: object): Buffer {
  const writer = new ProtobufWriter();
  message(() => fields).write(object, writer);
  const bytes = writer.take();
  // Without the length of the whole.
  let at = 0;
  while (bytes[at]! >= 0x80) at++;
  return bytes.subarray(at + 1);
}
