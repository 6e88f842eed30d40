import type { ProtobufWriter } from './protobuf-writer.js';

type Dictionary = Readonly<Record<string, unknown>>;

/** Writes a field of an object with all that belongs to it; nothing when it is not to be seen. */
export type WriteField = (object: Dictionary, writer: ProtobufWriter) => void;

/** One field of a message. */
export interface ProtobufField {
  /** Undefined: it is made of several properties. */
  readonly name: string | undefined;
  /** It is also written when the property is not there. */
  readonly always: boolean;
  readonly write: WriteField;
}

/** What objects with the same properties in the same order need. */
interface Shape {
  readonly keys: readonly string[];
  readonly writes: readonly WriteField[];
}

/** So many shapes are remembered; objects of others are looked through field by field. */
const MAX_SHAPES = 6;

/**
 * Writes the fields of one struct. Objects have few of the fields that their type has: which of them need anything at all is remembered for the shapes
 * that come again and again, so that nobody looks for the others.
 */
export class ProtobufStruct {
  /** Highest number first. Set once, before anything is written. */
  fields: readonly ProtobufField[] = [];
  private readonly shapes: Shape[] = [];

  write(object: Dictionary, writer: ProtobufWriter): void {
    const writes = this.writes(object);
    for (let i = 0; i < writes.length; i++) writes[i]!(object, writer);
  }

  private writes(object: Dictionary): readonly WriteField[] {
    const { shapes } = this;
    for (let i = 0; i < shapes.length; i++) if (fits(shapes[i]!.keys, object)) return shapes[i]!.writes;
    const keys: string[] = [];
    for (const key in object) keys.push(key);
    const writes = this.fields.filter(({ name, always }) => name === undefined || always || keys.includes(name)).map(({ write }) => write);
    // The oldest goes.
    if (shapes.length >= MAX_SHAPES) shapes.shift();
    shapes.push({ keys, writes });
    return writes;
  }
}

function fits(keys: readonly string[], object: Dictionary): boolean {
  let i = 0;
  for (const key in object) if (keys[i++] !== key) return false;
  return i === keys.length;
}
