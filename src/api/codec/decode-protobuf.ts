import { atOnce } from '../../base/steps.js';
import type { GroupVersionKind } from '../meta/object.js';
import { apiVersionOf, parseApiVersion } from '../meta/object.js';
import { decodeError } from './decode-error.js';
import type { Decoded } from './decode-json.js';
import { JsonParser, MAX_DEPTH } from './json-parser.js';
import { plain } from './check-values.js';
import type { ProtobufFields, ProtobufTable } from './protobuf-fields.js';
import { ProtobufReader } from './protobuf-reader.js';
import type { FieldSchema, StructSchema, TypeSchema } from './schema.js';
import { withDefaults } from './type-meta.js';

type Dictionary = Record<string, unknown>;

const PREFIX = Buffer.from('k8s\0');

/** Finds the type of a kind. */
export type TypeOf = (kind: GroupVersionKind) => StructSchema | undefined;

/**
 * Decodes an object in upstream's protobuf encoding into what its JSON would have given. Of a kind that `typeOf` does not know only `apiVersion` and
 * `kind` are there. `expected` fills in what the body does not say about its kind. Throws `KUBE_CANNOT_DECODE`.
 */
export function decodeProtobuf(bytes: Buffer, expected: GroupVersionKind, table: ProtobufTable, typeOf: TypeOf): Decoded {
  if (bytes.length === 0) throw decodeError('empty data');
  if (!bytes.subarray(0, PREFIX.length).equals(PREFIX)) {
    throw decodeError(`provided data does not appear to be a protobuf message, expected prefix [${[...PREFIX].join(' ')}]`);
  }
  if (bytes.length === PREFIX.length) throw decodeError('empty body');
  const envelope = ProtobufReader.of(bytes.subarray(PREFIX.length));
  let apiVersion = '';
  let kind = '';
  let raw: Buffer = Buffer.alloc(0);
  while (envelope.next()) {
    if (envelope.number === 1) {
      const typeMeta = envelope.message();
      while (typeMeta.next()) {
        if (typeMeta.number === 1) apiVersion = typeMeta.text();
        else if (typeMeta.number === 2) kind = typeMeta.text();
        else typeMeta.skip();
      }
    } else if (envelope.number === 2) raw = envelope.buffer();
    else envelope.skip();
  }
  const groupVersion = parseApiVersion(apiVersion);
  if (groupVersion === undefined) throw decodeError(`unexpected GroupVersion string: ${apiVersion}`);
  const actual = withDefaults({ ...groupVersion, kind }, expected);
  const type = typeOf(actual);
  const value: Dictionary = { apiVersion: apiVersionOf(actual), kind: actual.kind };
  if (type) new MessageDecoder(table).struct(ProtobufReader.of(raw), table.fields(type), value);
  return { value };
}

class MessageDecoder {
  private depth = 0;

  constructor(private readonly table: ProtobufTable) {}

  /** Fills `object` from a message. */
  struct(reader: ProtobufReader, fields: ProtobufFields, object: Dictionary): Dictionary {
    if (++this.depth > MAX_DEPTH) throw decodeError('proto: exceeded max depth');
    while (reader.next()) {
      const known = fields.get(reader.number);
      if (known === undefined) reader.skip();
      else if ('embedded' in known) this.struct(reader.message(), known.embedded, object);
      else this.field(reader, known.field, object);
    }
    this.depth--;
    return object;
  }

  private field(reader: ProtobufReader, { name, type }: FieldSchema, object: Dictionary): void {
    switch (type.kind) {
      case 'list': {
        const list = (object[name] ??= []) as unknown[];
        if (type.items.kind === 'int32' || type.items.kind === 'int64') list.push(...reader.integers());
        else list.push(this.value(reader, type.items));
        return;
      }
      case 'map': {
        const map = (object[name] ??= {}) as Dictionary;
        const entry = reader.message();
        let key = '';
        let value: unknown;
        while (entry.next()) {
          if (entry.number === 1) key = entry.text();
          else if (entry.number === 2) value = this.mapValue(entry, type.values);
          else entry.skip();
        }
        Object.defineProperty(map, key, { value: value ?? emptyOf(type.values), writable: true, enumerable: true, configurable: true });
        return;
      }
      default:
        object[name] = this.value(reader, type);
    }
  }

  /** Lists inside maps are messages of their own, with the elements in field 1. */
  private mapValue(reader: ProtobufReader, type: TypeSchema): unknown {
    if (type.kind !== 'list') return this.value(reader, type);
    const message = reader.message();
    const items: unknown[] = [];
    while (message.next()) {
      if (message.number === 1) items.push(this.value(message, type.items));
      else message.skip();
    }
    return items;
  }

  private value(reader: ProtobufReader, type: TypeSchema): unknown {
    switch (type.kind) {
      case 'struct':
        return this.struct(reader.message(), this.table.fields(type), {});
      case 'string':
        return reader.text();
      case 'bytes':
        return reader.buffer().toString('base64');
      case 'boolean':
        return reader.boolean();
      case 'int32':
      case 'int64':
        return reader.integer();
      case 'double':
        return reader.double();
      case 'quantity':
        return only(reader, (message) => message.text()) ?? '0';
      case 'time':
      case 'microTime':
        return time(reader, type.kind === 'microTime');
      case 'intOrString':
        return intOrString(reader);
      case 'raw':
      case 'json':
        return json(only(reader, (message) => message.buffer()));
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStrings':
        return this.schemaUnion(reader, type.kind, type.struct!);
      case 'list':
      case 'map':
        throw decodeError('proto: lists of lists are not supported');
    }
  }

  private schemaUnion(reader: ProtobufReader, kind: 'schemaOrArray' | 'schemaOrBool' | 'schemaOrStrings', struct: StructSchema): unknown {
    const message = reader.message();
    let allows = false;
    let schema: unknown;
    const list: unknown[] = [];
    while (message.next()) {
      if (kind === 'schemaOrBool' && message.number === 1) allows = message.boolean();
      else if ((kind === 'schemaOrBool' && message.number === 2) || (kind !== 'schemaOrBool' && message.number === 1)) schema = this.struct(message.message(), this.table.fields(struct), {});
      else if (message.number === 2) list.push(kind === 'schemaOrArray' ? this.struct(message.message(), this.table.fields(struct), {}) : message.text());
      else message.skip();
    }
    if (kind === 'schemaOrBool') return schema ?? allows;
    return list.length > 0 ? list : (schema ?? null);
  }
}

/** The value of field 1 of a message. */
function only<T>(reader: ProtobufReader, read: (message: ProtobufReader) => T): T | undefined {
  const message = reader.message();
  let value: T | undefined;
  while (message.next()) {
    if (message.number === 1) value = read(message);
    else message.skip();
  }
  return value;
}

function time(reader: ProtobufReader, micro: boolean): string | null {
  const message = reader.message();
  let seconds = 0;
  let nanos = 0;
  while (message.next()) {
    if (message.number === 1) seconds = message.integer();
    else if (message.number === 2) nanos = message.integer();
    else message.skip();
  }
  if (seconds === 0 && nanos === 0) return null;
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw decodeError('proto: time out of range');
  const text = date.toISOString().slice(0, 19);
  return micro ? `${text}.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z` : `${text}Z`;
}

function intOrString(reader: ProtobufReader): number | string {
  const message = reader.message();
  let isText = false;
  let number = 0;
  let text = '';
  while (message.next()) {
    if (message.number === 1) isText = message.integer() === 1;
    else if (message.number === 2) number = message.integer();
    else if (message.number === 3) text = message.text();
    else message.skip();
  }
  return isText ? text : number;
}

function json(bytes: Buffer | undefined): unknown {
  return bytes === undefined || bytes.length === 0 ? null : plain(atOnce(new JsonParser(bytes.toString()).parse()));
}

function emptyOf(type: TypeSchema): unknown {
  switch (type.kind) {
    case 'struct':
      return {};
    case 'list':
      return [];
    case 'string':
    case 'bytes':
      return '';
    default:
      // Becomes the zero value of its type.
      return null;
  }
}
