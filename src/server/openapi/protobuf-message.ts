import { dump, YAML11_SCHEMA } from 'js-yaml';
import type { ProtobufWriter } from '../../api/codec/protobuf-writer.js';

const PLAIN_WORD = /^[A-Za-z][A-Za-z0-9]+$/;
const YAML_WORD = /^(?:true|false|null|yes|no|on|off)$/i;

type Dictionary = Readonly<Record<string, unknown>>;

/** How values of one kind are written: with their length where they have one, without a tag. */
export interface Kind {
  /** 0: whole numbers and flags, 1: other numbers, 2: all with a length. */
  readonly wire: 0 | 1 | 2;
  write(value: unknown, writer: ProtobufWriter): void;
}

/** Number, name in JSON (`x-` for all names that begin so), and kind of a field; `many`: a list. */
export type Field = readonly [number: number, name: string, kind: Kind, many?: 'many'];

export const text: Kind = { wire: 2, write: (value, writer) => writer.text(value as string) };
export const flag: Kind = { wire: 0, write: (value, writer) => writer.varint(value === true ? 1 : 0) };

export const integer: Kind = { wire: 0, write: (value, writer) => writer.integer(value as number) };
export const double: Kind = { wire: 1, write: (value, writer) => writer.double(value as number) };

/** Any JSON value, as YAML in a message of its own. */
export const any: Kind = nested((value, writer) => put(writer, 2, text, yamlText(value)));

/** Nearly all of them are flags and single words. */
function yamlText(value: unknown): string {
  if (typeof value === 'boolean') return `${value}\n`;
  if (typeof value === 'string' && PLAIN_WORD.test(value) && !YAML_WORD.test(value)) return `${value}\n`;
  return dump(value, { schema: YAML11_SCHEMA, lineWidth: -1, quoteStyle: 'double' });
}

/** A message with these fields; asked for on first use, since messages hold each other. */
export function message(fields: () => readonly Field[]): Kind {
  let known: readonly Field[] | undefined;
  return nested((value, writer) => {
    const object = value as Dictionary;
    known ??= [...fields()].sort(([a], [b]) => b - a);
    for (const [number, name, kind, many] of known) {
      if (name === 'x-') extensions(object, number, writer);
      else if (many) reversed(object[name] as readonly unknown[] | undefined, (item) => put(writer, number, kind, item));
      else if (!isZero(object[name], kind)) put(writer, number, kind, object[name]);
    }
  });
}

/** One of several messages, each in a field of its own. */
export function oneOf(choose: (value: Dictionary) => readonly [number: number, kind: Kind]): Kind {
  return nested((value, writer) => {
    const [number, kind] = choose(value as Dictionary);
    put(writer, number, kind, value);
  });
}

/** A list whose elements stand in field 1 of a message; a single value is a list of one. */
export function listOf(kind: Kind): Kind {
  return nested((value, writer) => reversed(Array.isArray(value) ? value : [value], (item) => put(writer, 1, kind, item)));
}

/** A map as a list of names and values in field 1 of a message. */
export function mapOf(kind: Kind): Kind {
  const entry = namedOf(kind);
  return nested((value, writer) => reversed(Object.entries(value as Dictionary), (item) => put(writer, 1, entry, item)));
}

/** One `[name, value]` of a map. */
export function namedOf(kind: Kind): Kind {
  return nested((entry, writer) => {
    const [name, value] = entry as readonly [string, unknown];
    put(writer, 2, kind, value);
    put(writer, 1, text, name);
  });
}

/** Writes a field with its tag. */
export function put(writer: ProtobufWriter, number: number, kind: Kind, value: unknown): void {
  kind.write(value, writer);
  writer.varint((number << 3) | kind.wire);
}

function nested(write: (value: unknown, writer: ProtobufWriter) => void): Kind {
  return {
    wire: 2,
    write: (value, writer) => {
      const end = writer.length;
      write(value, writer);
      writer.varint(writer.length - end);
    },
  };
}

function extensions(object: Dictionary, number: number, writer: ProtobufWriter): void {
  const entry = namedOf(any);
  reversed(Object.entries(object).filter(([name]) => name.startsWith('x-')), (item) => put(writer, number, entry, item));
}

function reversed<T>(items: readonly T[] | undefined, each: (item: T) => void): void {
  for (let i = (items?.length ?? 0) - 1; i >= 0; i--) each(items![i]!);
}

/** What is not written. */
function isZero(value: unknown, kind: Kind): boolean {
  return value === undefined || (kind === text && value === '') || (kind === flag && value === false) || ((kind === integer || kind === double) && value === 0);
}
