import { apiVersionOf, type GroupVersionKind } from '../meta/object.js';
import type { ProtobufFields, ProtobufTable } from './protobuf-fields.js';
import { ProtobufStruct, type ProtobufField, type WriteField } from './protobuf-struct.js';
import { ProtobufWriter } from './protobuf-writer.js';
import { RawJson } from './raw-json.js';
import type { FieldSchema, StructSchema, TypeSchema } from './schema.js';

type Dictionary = Record<string, unknown>;
/** Writes a value that is there, with its length where it has one, but without its tag. */
type WriteValue = (value: unknown, writer: ProtobufWriter) => void;

/** How a value is laid out, in the low bits of its tag. */
const WireType = { Varint: 0, Fixed64: 1, Bytes: 2 } as const;
const PREFIX = Buffer.from('k8s\0');
const KEY_TAG = 0x0a;
const EMPTY: Dictionary = {};
const SURROGATE = /[\ud800-\udfff]/;

/** Several messages in one piece of memory. */
export interface ProtobufBlock {
  /** The messages with what stands before each of them in a list. */
  readonly bytes: Buffer;
  /** Each message alone, as a part of {@link bytes}. */
  readonly messages: readonly Buffer[];
}

/**
 * Encodes objects in upstream's protobuf form, byte for byte as its generated code does: fields by number, maps by key, fields that are held by value
 * always, everything else when it is there. Objects must be in the form that `Codec.check` gives. Types are compiled on first use.
 */
export class ProtobufEncoder {
  private readonly writer = new ProtobufWriter();
  private readonly structs = new Map<StructSchema, ProtobufStruct>();

  constructor(private readonly table: ProtobufTable) {}

  /** The message of an object, without the envelope that names its kind. */
  message(object: object, type: StructSchema): Buffer {
    try {
      this.struct(type).write(object as Dictionary, this.writer);
      return this.writer.take();
    } catch (error) {
      this.writer.reset();
      throw error;
    }
  }

  /** The messages of several objects one after the other, each under `tag` with its length: a part of a list. */
  block(objects: readonly object[], type: StructSchema, tag: number): ProtobufBlock {
    const { writer } = this;
    const struct = this.struct(type);
    // Where each message begins and ends, from the end of the block.
    const bounds: number[] = [];
    try {
      for (let i = objects.length - 1; i >= 0; i--) {
        const end = writer.length;
        struct.write(objects[i] as Dictionary, writer);
        bounds.push(writer.length, end);
        writer.varint(writer.length - end);
        writer.varint(tag);
      }
      const bytes = writer.take();
      const messages: Buffer[] = [];
      for (let i = bounds.length - 2; i >= 0; i -= 2) messages.push(bytes.subarray(bytes.length - bounds[i]!, bytes.length - bounds[i + 1]!));
      return { bytes, messages };
    } catch (error) {
      writer.reset();
      throw error;
    }
  }

  private struct(type: StructSchema): ProtobufStruct {
    let struct = this.structs.get(type);
    if (struct === undefined) {
      // Known before it is complete: types may hold themselves.
      struct = new ProtobufStruct();
      this.structs.set(type, struct);
      struct.fields = this.compile(this.table.fields(type));
    }
    return struct;
  }

  /** Highest number first, since messages are written backwards. */
  private compile(fields: ProtobufFields): ProtobufField[] {
    return [...fields]
      .sort(([a], [b]) => b - a)
      .map(([number, known]) => ('embedded' in known ? { name: undefined, always: true, write: this.embedded(number, known.embedded) } : this.field(number, known.field)));
  }

  private embedded(number: number, embedded: ProtobufFields): WriteField {
    const struct = new ProtobufStruct();
    struct.fields = this.compile(embedded);
    const tag = tagOf(number, WireType.Bytes);
    return (object, writer) => {
      const end = writer.length;
      struct.write(object, writer);
      writer.varint(writer.length - end);
      writer.varint(tag);
    };
  }

  private field(number: number, { name, presence, type }: FieldSchema): ProtobufField {
    if (type.kind === 'list') return { name, always: false, write: this.list(number, name, type.items) };
    if (type.kind === 'map') return { name, always: false, write: this.map(number, name, type.values) };
    const write = this.value(type);
    const tag = tagOf(number, wireTypeOf(type));
    const zero = presence === 'pointer' || presence === 'nullable' ? undefined : zeroOf(type);
    return {
      name,
      always: zero !== undefined,
      write: (object, writer) => {
        const value = object[name] ?? zero;
        if (value === undefined) return;
        write(value, writer);
        writer.varint(tag);
      },
    };
  }

  private list(number: number, name: string, items: TypeSchema): WriteField {
    const write = this.value(items);
    const tag = tagOf(number, wireTypeOf(items));
    const zero = zeroOf(items);
    return (object, writer) => {
      const list = object[name] as readonly unknown[] | null | undefined;
      if (list === undefined || list === null) return;
      for (let i = list.length - 1; i >= 0; i--) {
        write(list[i] ?? zero, writer);
        writer.varint(tag);
      }
    };
  }

  private map(number: number, name: string, values: TypeSchema): WriteField {
    const write = this.mapValue(values);
    const tag = tagOf(number, WireType.Bytes);
    const valueTag = tagOf(2, values.kind === 'list' ? WireType.Bytes : wireTypeOf(values));
    const zero = zeroOf(values);
    return (object, writer) => {
      const map = object[name] as Dictionary | null | undefined;
      if (map === undefined || map === null) return;
      const keys = sortedKeys(map);
      for (let i = keys.length - 1; i >= 0; i--) {
        const key = keys[i]!;
        const end = writer.length;
        const value = map[key] ?? zero;
        if (value !== undefined) {
          write(value, writer);
          writer.varint(valueTag);
        }
        writer.text(key);
        writer.varint(KEY_TAG);
        writer.varint(writer.length - end);
        writer.varint(tag);
      }
    };
  }

  /** Lists inside maps are messages of their own, with the elements in field 1. */
  private mapValue(values: TypeSchema): WriteValue {
    if (values.kind !== 'list') return this.value(values);
    const write = this.list(1, 'items', values.items);
    return nested((value, writer) => write({ items: value }, writer));
  }

  private value(type: TypeSchema): WriteValue {
    switch (type.kind) {
      case 'struct': {
        const struct = this.struct(type);
        return (value, writer) => {
          const end = writer.length;
          struct.write(value as Dictionary, writer);
          writer.varint(writer.length - end);
        };
      }
      case 'string':
        return (value, writer) => writer.text(value as string);
      case 'bytes':
        return (value, writer) => writer.base64(value as string);
      case 'boolean':
        return (value, writer) => writer.varint(value ? 1 : 0);
      case 'int32':
      case 'int64':
        return (value, writer) => writer.integer(value as number);
      case 'double':
        return (value, writer) => writer.double(value as number);
      case 'quantity':
        return nested((value, writer) => {
          writer.text(value as string);
          writer.varint(KEY_TAG);
        });
      case 'time':
      case 'microTime':
        return nested(writeTime);
      case 'intOrString':
        return nested(writeIntOrString);
      case 'raw':
      case 'json':
        return nested((value, writer) => {
          if (value === EMPTY) return;
          writer.text(value instanceof RawJson ? value.text : JSON.stringify(value));
          writer.varint(KEY_TAG);
        });
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStrings':
        return this.schemaUnion(type.kind, type.struct!);
      case 'list':
      case 'map':
        throw new TypeError(`${type.goName} cannot stand in a list`);
    }
  }

  private schemaUnion(kind: 'schemaOrArray' | 'schemaOrBool' | 'schemaOrStrings', struct: StructSchema): WriteValue {
    const schema = this.value(struct);
    const items = this.list(2, 'items', kind === 'schemaOrArray' ? struct : { kind: 'string', goName: 'string' });
    const schemaTag = tagOf(kind === 'schemaOrBool' ? 2 : 1, WireType.Bytes);
    return nested((value, writer) => {
      if (Array.isArray(value)) return items({ items: value }, writer);
      if (typeof value === 'object') {
        schema(value, writer);
        writer.varint(schemaTag);
      }
      if (kind !== 'schemaOrBool') return;
      // A schema alone lets values through too.
      writer.varint(value === false ? 0 : 1);
      writer.varint(tagOf(1, WireType.Varint));
    });
  }
}

/** A whole answer: upstream's prefix and the envelope that names the kind around the message. */
export function protobufEnvelope(kind: GroupVersionKind, message: Buffer): Buffer {
  const { head, tail } = protobufEnvelopeAround(kind, message.length);
  return Buffer.concat([head, message, tail]);
}

/** What stands before and after a message of `length` bytes. */
export function protobufEnvelopeAround(kind: GroupVersionKind, length: number): { readonly head: Buffer; readonly tail: Buffer } {
  const writer = new ProtobufWriter();
  writer.varint(length);
  writer.varint(tagOf(2, WireType.Bytes));
  const end = writer.length;
  writer.text(kind.kind);
  writer.varint(tagOf(2, WireType.Bytes));
  writer.text(apiVersionOf(kind));
  writer.varint(KEY_TAG);
  writer.varint(writer.length - end);
  writer.varint(KEY_TAG);
  writer.raw(PREFIX);
  // Neither content encoding nor content type.
  return { head: writer.take(), tail: Buffer.from([0x1a, 0, 0x22, 0]) };
}

/** Bytes that `length` takes as a varint. */
export function varintLength(length: number): number {
  let size = 1;
  for (let rest = length >>> 7; rest !== 0; rest >>>= 7) size++;
  return size;
}

/** Puts the length before what `write` writes. */
function nested(write: WriteValue): WriteValue {
  return (value, writer) => {
    const end = writer.length;
    write(value, writer);
    writer.varint(writer.length - end);
  };
}

function writeTime(value: unknown, writer: ProtobufWriter): void {
  // The zero time is an empty message.
  if (typeof value !== 'string') return;
  const dot = value.indexOf('.');
  const milliseconds = Date.parse(dot < 0 ? value : `${value.slice(0, dot)}Z`);
  writer.integer(dot < 0 ? 0 : Number(value.slice(dot + 1, dot + 7).replace('Z', '').padEnd(6, '0')) * 1000);
  writer.varint(0x10);
  writer.integer(milliseconds / 1000);
  writer.varint(0x08);
}

function writeIntOrString(value: unknown, writer: ProtobufWriter): void {
  const isText = typeof value === 'string';
  writer.text(isText ? value : '');
  writer.varint(0x1a);
  writer.integer(isText ? 0 : (value as number));
  writer.varint(0x10);
  writer.varint(isText ? 1 : 0);
  writer.varint(0x08);
}

/** By their bytes in UTF-8. */
function sortedKeys(map: Dictionary): string[] {
  const keys = Object.keys(map);
  if (keys.length < 2 || sorted(keys)) return keys;
  // Only surrogates sort otherwise than their bytes.
  return keys.some((key) => SURROGATE.test(key)) ? keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) : keys.sort();
}

/** JavaScript's order is that of the bytes but for surrogates, which are left to the sort. */
function sorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return false;
  return !keys.some((key) => SURROGATE.test(key));
}

function tagOf(number: number, wireType: number): number {
  return (number << 3) | wireType;
}

function wireTypeOf(type: TypeSchema): number {
  switch (type.kind) {
    case 'boolean':
    case 'int32':
    case 'int64':
      return WireType.Varint;
    case 'double':
      return WireType.Fixed64;
    default:
      return WireType.Bytes;
  }
}

/** What stands for an absent value where one must be; undefined: nothing does. */
function zeroOf(type: TypeSchema): unknown {
  switch (type.kind) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'list':
      return [];
    case 'struct':
    case 'time':
    case 'microTime':
    case 'raw':
    case 'json':
      return EMPTY;
    default:
      return undefined;
  }
}
