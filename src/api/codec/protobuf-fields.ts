import { PROTOBUF_TEXT } from '../generated/protobuf.js';
import type { FieldSchema, StructSchema } from './schema.js';

/** What a field number stands for: a field, or a message whose fields are the struct's own. */
export type ProtobufField = { readonly field: FieldSchema } | { readonly embedded: ProtobufFields };

/** Fields of a message by number. */
export type ProtobufFields = ReadonlyMap<number, ProtobufField>;

/** Field numbers of every built-in type, read when they are asked for. */
export class ProtobufTable {
  private readonly texts = new Map<string, string>();
  private readonly tables = new Map<StructSchema, ProtobufFields>();

  constructor() {
    for (const line of PROTOBUF_TEXT.split('\n')) {
      const bar = line.indexOf('|');
      this.texts.set(line.slice(0, bar), line.slice(bar + 1));
    }
  }

  /** Empty for a type without fields, or without a protobuf form. */
  fields(struct: StructSchema): ProtobufFields {
    let table = this.tables.get(struct);
    if (table === undefined) {
      table = new Reader(this.texts.get(struct.name) ?? '', struct).fields();
      this.tables.set(struct, table);
    }
    return table;
  }
}

/** Reads the notation that src/api/facts/field-numbers/index.ts explains. */
class Reader {
  private readonly tokens: readonly string[];
  private at = 0;

  constructor(
    text: string,
    private readonly struct: StructSchema,
  ) {
    this.tokens = text.match(/[()]|[^\s()]+/g) ?? [];
  }

  fields(): ProtobufFields {
    const fields = new Map<number, ProtobufField>();
    let next = 1;
    for (; this.at < this.tokens.length; this.at++) {
      const token = this.tokens[this.at]!;
      if (token === ')') break;
      let value: ProtobufField;
      let name = token;
      if (token.startsWith('^')) {
        this.at += 2;
        value = { embedded: this.fields() };
        // A number may stand behind the parenthesis.
        const after = this.tokens[this.at + 1];
        if (after?.startsWith(':')) {
          name = after;
          this.at++;
        }
      } else {
        const field = this.struct.fields.get(token.replace(/:\d+$/, ''));
        if (field === undefined) continue;
        value = { field };
      }
      const number = /:(\d+)$/.exec(name)?.[1];
      if (number !== undefined) next = Number(number);
      fields.set(next++, value);
    }
    return fields;
  }
}
