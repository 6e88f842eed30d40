import { StructSchema, type FieldSchema, type ListType, type Presence, type ScalarKind, type SpecialKind, type TypeSchema } from './schema.js';

/*
 * The notation of src/api/generated/schema.ts, written by scripts/generate/schema-table.mjs.
 *
 *   <short>[@][ <group>/<version>]*|<field>|<field>…
 *   field: name presence type [l<list type>] [k<merge key>] [p<strategy,…>] [m<map type>] [e<embedded>]
 *   type:  s b i l d y (scalars) | <short> | [type (list) | {type (map), each with an optional <Go name> before what follows
 *
 * <short> is an index into the packages and the type's name: `9.Pod`.
 */

const PRESENCE: Readonly<Record<string, Presence>> = { o: 'omitempty', p: 'pointer', n: 'nullable', v: 'value', z: 'omitzero' };
const SCALAR: Readonly<Record<string, readonly [ScalarKind, string]>> = {
  s: ['string', 'string'], b: ['boolean', 'bool'], i: ['int32', 'int32'], l: ['int64', 'int64'], d: ['double', 'float64'], y: ['bytes', '[]uint8'],
};
const SPECIAL: Readonly<Record<string, readonly [SpecialKind, string]>> = {
  Quantity: ['quantity', 'resource.Quantity'],
  Time: ['time', 'v1.Time'],
  MicroTime: ['microTime', 'v1.MicroTime'],
  IntOrString: ['intOrString', 'intstr.IntOrString'],
  RawExtension: ['raw', 'runtime.RawExtension'],
  FieldsV1: ['raw', 'v1.FieldsV1'],
  JSON: ['json', 'v1.JSON'],
  JSONSchemaPropsOrArray: ['schemaOrArray', 'v1.JSONSchemaPropsOrArray'],
  JSONSchemaPropsOrBool: ['schemaOrBool', 'v1.JSONSchemaPropsOrBool'],
  JSONSchemaPropsOrStringArray: ['schemaOrStrings', 'v1.JSONSchemaPropsOrStringArray'],
};
const LIST: Readonly<Record<string, ListType>> = { a: 'atomic', s: 'set', m: 'map' };

/** Reads one line; `lookup` finds other types by their short name. */
export function parseDefinition(name: string, line: string, lookup: (short: string) => StructSchema): StructSchema {
  const [head, ...fields] = line.split('|');
  const atomic = head!.split(' ', 1)[0]!.endsWith('@');
  return new StructSchema(name, atomic, () => new Map(fields.map((text) => parseField(text, lookup)).map((field) => [field.name, field])));
}

function parseField(text: string, lookup: (short: string) => StructSchema): FieldSchema {
  const [name, presence, type, ...attributes] = text.split(' ');
  const field: { -readonly [K in keyof FieldSchema]: FieldSchema[K] } = {
    name: name!,
    presence: PRESENCE[presence!]!,
    type: parseType(type!, lookup),
    patchStrategy: [],
  };
  for (const attribute of attributes) {
    const value = attribute.slice(1);
    switch (attribute[0]) {
      case 'l':
        field.listType = LIST[value[0]!]!;
        if (value[0] === 'm') field.listMapKeys = value.slice(1).split(',');
        break;
      case 'k':
        field.patchMergeKey = value;
        break;
      case 'p':
        field.patchStrategy = value.split(',');
        break;
      case 'm':
        field.mapType = value === 'a' ? 'atomic' : 'granular';
        break;
      case 'e':
        field.embedded = value;
        break;
    }
  }
  return field;
}

function parseType(text: string, lookup: (short: string) => StructSchema): TypeSchema {
  const [, code, goName, rest] = /^([[{sbildy]?)(?:<([^>]*)>)?(.*)$/.exec(text)!;
  if (code === '[') {
    const items = parseType(rest!, lookup);
    return { kind: 'list', goName: goName ?? `[]${items.goName}`, items };
  }
  if (code === '{') {
    const values = parseType(rest!, lookup);
    return { kind: 'map', goName: goName ?? `map[string]${values.goName}`, values };
  }
  const scalar = SCALAR[code!];
  if (scalar) return { kind: scalar[0], goName: goName ?? scalar[1] };
  const kind = rest!.slice(rest!.indexOf('.') + 1);
  const special = Object.hasOwn(SPECIAL, kind) ? SPECIAL[kind] : undefined;
  if (special) return { kind: special[0], goName: special[1], ...(kind.startsWith('JSONSchema') ? { struct: lookup(`${rest!.slice(0, rest!.indexOf('.'))}.JSONSchemaProps`) } : {}) };
  return kind === 'CustomResourceSubresourceStatus' ? new StructSchema(`v1.${kind}`, false, () => new Map()) : lookup(rest!);
}
