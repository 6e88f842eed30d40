import type { FieldSchema, StructSchema, TypeSchema } from '../codec/schema.js';
import { LIST_KEY_DEFAULTS } from '../facts/list-key-defaults.js';
import { atomicList, DEDUCED, mapOf, StructRule, UNTYPED, type ApplyField, type ApplyType, type ListRule, type MapRule, type ScalarRule } from './apply-type.js';
import { fieldElement } from './path-element.js';

const SCALARS: Readonly<Record<string, ScalarRule>> = {
  string: 'string', bytes: 'string', boolean: 'boolean', int32: 'numeric', int64: 'numeric', double: 'numeric',
  quantity: 'untyped', time: 'untyped', microTime: 'untyped', intOrString: 'untyped',
};
const ZERO: Readonly<Record<string, unknown>> = { string: '', boolean: false, int32: 0, int64: 0, double: 0 };

/** Any JSON value without a type of its own. */
const ANYTHING: ApplyType = { scalar: 'untyped', list: atomicList(UNTYPED), map: mapOf(DEDUCED) };

/** How the built-in types are owned and merged. One per server: each type is made once, on first use. */
export class BuiltInTypes {
  private readonly structs = new Map<StructSchema, ApplyType>();
  private readonly atomicStructs = new Map<StructSchema, ApplyType>();
  private readonly scalars = new Map<ScalarRule, ApplyType>();

  /** The type of a struct. */
  struct(schema: StructSchema): ApplyType {
    return this.structOf(schema, schema.atomic);
  }

  private structOf(schema: StructSchema, atomic: boolean): ApplyType {
    const known = atomic ? this.atomicStructs : this.structs;
    let type = known.get(schema);
    if (type === undefined) {
      // The fields are read when they are first asked for: types refer to each other.
      const rule: MapRule = new StructRule(atomic, () => [...schema.fields.values()].map((field) => this.field(schema, field)), undefined);
      type = { map: schema.fields.size === 0 ? mapOf(DEDUCED, atomic) : rule };
      known.set(schema, type);
    }
    return type;
  }

  private field(struct: StructSchema, field: FieldSchema): ApplyField {
    const { name, presence } = field;
    const { kind } = field.type;
    const collection = kind === 'list' || kind === 'map' || kind === 'bytes';
    const nullable = presence === 'nullable' || (presence === 'value' && (collection || kind === 'time' || kind === 'microTime' || kind === 'raw' || kind === 'json'));
    const byDefault = LIST_KEY_DEFAULTS[struct.name]?.[name] ?? (presence === 'value' ? ZERO[kind] : undefined);
    return {
      name,
      element: fieldElement(name),
      type: this.fieldType(field),
      emptyIsAbsent: presence === 'omitempty' && (kind === 'list' || kind === 'map'),
      nullWhenAbsent: nullable,
      ...(byDefault === undefined ? {} : { default: byDefault }),
    };
  }

  private fieldType(field: FieldSchema): ApplyType {
    const { type } = field;
    switch (type.kind) {
      case 'list':
        return { list: this.list(field, type.items) };
      case 'map':
        return { map: mapOf(this.type(type.values), field.mapType === 'atomic') };
      case 'struct':
        return field.mapType === undefined ? this.struct(type) : this.structOf(type, field.mapType === 'atomic');
      default:
        return this.type(type);
    }
  }

  private list(field: FieldSchema, items: TypeSchema): ListRule {
    const keys = field.listMapKeys ?? (field.listType === undefined && field.patchMergeKey !== undefined && field.patchStrategy.includes('merge') ? [field.patchMergeKey] : []);
    const set = field.listType === 'set' || (field.listType === undefined && field.patchStrategy.includes('merge') && keys.length === 0);
    const atomic = field.listType === 'atomic' || (keys.length === 0 && !set);
    return { atomic, keys: atomic ? [] : [...keys].sort(), declaredKeys: keys, element: this.type(items) };
  }

  private type(type: TypeSchema): ApplyType {
    switch (type.kind) {
      case 'struct':
        return this.struct(type);
      case 'list':
        return { list: atomicList(this.type(type.items)) };
      case 'map':
        return { map: mapOf(this.type(type.values)) };
      case 'raw':
        return UNTYPED;
      case 'json':
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStrings':
        return ANYTHING;
      default:
        return this.scalar(SCALARS[type.kind]!);
    }
  }

  private scalar(scalar: ScalarRule): ApplyType {
    let type = this.scalars.get(scalar);
    if (type === undefined) this.scalars.set(scalar, (type = { scalar }));
    return type;
  }
}
