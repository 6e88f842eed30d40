import type { CheckContext } from './check-context.js';
import { plain, scalarCheck, specialCheck, type Check } from './check-values.js';
import { decodeError } from './decode-error.js';
import { NumberLiteral } from './number-literal.js';
import type { FieldSchema, StructSchema, TypeSchema } from './schema.js';

type Dictionary = Record<string, unknown>;

const FIELDS_V1 = 'v1.FieldsV1';

/** Sets of fields that were found to be plain: they are never changed, and a patch or an apply to an object comes with those that it has. */
const known = new WeakSet<object>();

function plainFields(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && known.has(value)) return value;
  const fields = plain(value);
  if (typeof fields === 'object' && fields !== null) known.add(fields);
  return fields;
}

/** What the check of a struct knows about a field. */
interface CompiledField {
  readonly schema: FieldSchema;
  readonly check: Check;
  /** Strings need no call. */
  readonly isString: boolean;
  /** What is dropped although it was given; undefined: nothing. */
  readonly isZero: ((value: unknown) => boolean) | undefined;
  /** Empty lists and maps: validation tells them from absent ones, so that only storing drops them. */
  readonly keptUntilStored: boolean;
  /** Makes what stands for an absent field; undefined: nothing does. */
  readonly whenAbsent: Check | undefined;
  /** Written as `null` when absent. */
  readonly nullWhenAbsent: boolean;
}

/** Compiles types into checks, each on first use, and keeps them. */
export class CheckCompiler {
  private readonly structs = new Map<StructSchema, Check>();

  /** The check of a struct. Input is never changed; what needs no change is returned as it is. */
  struct(type: StructSchema): Check {
    let check = this.structs.get(type);
    if (check === undefined) {
      let fields: CompiledFields | undefined;
      check = (value, context) => {
        if (typeof value !== 'object' || Array.isArray(value) || value instanceof NumberLiteral) return context.mismatch(value, type.goName);
        context.structs.push(type);
        const result = checkStruct(value as Dictionary, (fields ??= this.fields(type)), context);
        context.structs.pop();
        return result;
      };
      this.structs.set(type, check);
    }
    return check;
  }

  private fields(type: StructSchema): CompiledFields {
    const byName = new Map([...type.fields].map(([name, schema]) => [name, this.field(schema)]));
    return { byName, absent: [...byName.values()].filter((field) => field.whenAbsent !== undefined || field.nullWhenAbsent) };
  }

  private field(schema: FieldSchema): CompiledField {
    const { type, presence } = schema;
    const always = presence === 'value';
    const collection = type.kind === 'list' || type.kind === 'map' || type.kind === 'bytes';
    const empty = type.kind === 'time' || type.kind === 'microTime' || type.kind === 'raw' || type.kind === 'json' || collection;
    return {
      schema,
      check: this.type(type),
      isString: type.kind === 'string',
      isZero: presence === 'omitempty' || (always && collection) ? zeroTest(type) : undefined,
      keptUntilStored: type.kind === 'list' || type.kind === 'map',
      whenAbsent: always && !empty ? this.zero(type) : undefined,
      nullWhenAbsent: presence === 'nullable' || (always && empty),
    };
  }

  private type(type: TypeSchema): Check {
    switch (type.kind) {
      case 'struct':
        return this.struct(type);
      case 'list':
        return this.list(type.goName, type.items);
      case 'map':
        return this.map(type.goName, type.values);
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStrings':
        return this.schemaUnion(type.kind, type.struct!);
      case 'raw':
        // Managed fields were made plain when they came in, and are not looked through again at every write.
        if (type.goName === FIELDS_V1) return (value, context) => (context.nulls ? value : plainFields(value));
        return specialCheck(type.kind);
      case 'quantity':
      case 'time':
      case 'microTime':
      case 'intOrString':
      case 'json':
        return specialCheck(type.kind);
      default:
        return scalarCheck(type.kind, type.goName);
    }
  }

  /** What null becomes where a value must be: in lists and maps, and in fields that are always written. */
  private zero(type: TypeSchema): Check {
    switch (type.kind) {
      case 'struct': {
        const check = this.struct(type);
        return (_, context) => check({}, context);
      }
      case 'string':
      case 'bytes':
        return () => '';
      case 'boolean':
        return () => false;
      case 'int32':
      case 'int64':
      case 'double':
      case 'intOrString':
        return () => 0;
      case 'quantity':
        return () => '0';
      case 'schemaOrBool':
        return () => false;
      default:
        return () => null;
    }
  }

  private list(goName: string, items: TypeSchema): Check {
    const check = this.type(items);
    const zero = this.zero(items);
    const isString = items.kind === 'string';
    return (value, context) => {
      if (!Array.isArray(value)) return context.mismatch(value, goName);
      const list = value as unknown[];
      let out: unknown[] | undefined;
      for (let i = 0; i < list.length; i++) {
        const item = list[i];
        if (isString && typeof item === 'string') {
          if (out) out.push(item);
          continue;
        }
        context.path.push(i);
        const next = item === null || item === undefined ? zero(item, context) : check(item, context);
        context.path.pop();
        if (out) out.push(next);
        else if (next !== item) {
          out = list.slice(0, i);
          out.push(next);
        }
      }
      return out ?? value;
    };
  }

  private map(goName: string, values: TypeSchema): Check {
    const check = this.type(values);
    const zero = this.zero(values);
    const isString = values.kind === 'string';
    return (value, context) => {
      if (typeof value !== 'object' || Array.isArray(value) || value instanceof NumberLiteral) return context.mismatch(value, goName);
      const map = value as Dictionary;
      const duplicates = context.strict ? context.duplicates?.get(map) : undefined;
      let out: Dictionary | undefined;
      for (const key in map) {
        if (duplicates?.has(key)) context.duplicateField(key);
        const item = map[key];
        if (isString && typeof item === 'string') continue;
        context.path.push(key);
        const next = item === null || item === undefined ? zero(item, context) : check(item, context);
        context.path.pop();
        if (next === item) continue;
        out ??= { ...map };
        Object.defineProperty(out, key, { value: next, writable: true, enumerable: true, configurable: true });
      }
      return out ?? value;
    };
  }

  /** The unions inside JSON schemas. Inside them upstream is not strict, and a wrong type ends the pass. */
  private schemaUnion(kind: 'schemaOrArray' | 'schemaOrBool' | 'schemaOrStrings', struct: StructSchema): Check {
    const one = this.struct(struct);
    const many = kind === 'schemaOrArray' ? this.list('[]v1.JSONSchemaProps', struct) : this.list('[]string', { kind: 'string', goName: 'string' });
    return (value, context) => {
      const isObject = typeof value === 'object' && !Array.isArray(value) && !(value instanceof NumberLiteral);
      if (kind === 'schemaOrBool') {
        if (typeof value === 'boolean') return value;
        if (!isObject) throw decodeError('boolean or JSON schema expected');
      } else if (!isObject && !Array.isArray(value)) {
        return undefined;
      }
      const strict = context.strict;
      context.strict = false;
      const result = (isObject ? one : many)(value, context);
      context.strict = strict;
      if (context.typeError) throw context.typeError;
      return result;
    };
  }
}

interface CompiledFields {
  readonly byName: ReadonlyMap<string, CompiledField>;
  /** Fields for which something is done when they are absent. */
  readonly absent: readonly CompiledField[];
}

function checkStruct(object: Dictionary, fields: CompiledFields, context: CheckContext): Dictionary {
  const duplicates = context.duplicates?.get(object);
  let out: Dictionary | undefined;
  for (const key in object) {
    let value = object[key];
    const field = fields.byName.get(key);
    let next: unknown;
    if (field === undefined) {
      if (context.strict) context.unknownField(key);
    } else {
      if (duplicates?.has(key)) {
        checkReplaced(duplicates.get(key)!, field, context);
        const kind = field.schema.type.kind;
        if (kind === 'struct' || kind === 'map') value = [...duplicates.get(key)!, value].reduce(mergeDuplicates);
      }
      if (value === null || value === undefined) next = context.nulls && field.nullWhenAbsent ? null : undefined;
      else if (field.isString && typeof value === 'string') next = value;
      else {
        context.path.push(field.schema);
        next = field.check(value, context);
        context.path.pop();
      }
      if (field.isZero !== undefined && next !== undefined && next !== null && (context.nulls || !field.keptUntilStored) && field.isZero(next)) next = undefined;
    }
    if (out !== undefined) {
      if (next !== undefined) out[key] = next;
    } else if (next !== object[key]) {
      out = copyBefore(object, key);
      if (next !== undefined) out[key] = next;
    }
  }
  for (const field of fields.absent) {
    const name = field.schema.name;
    const value = (out ?? object)[name];
    if (value !== undefined) continue;
    if (field.whenAbsent !== undefined) {
      context.path.push(field.schema);
      (out ??= { ...object })[name] = field.whenAbsent(undefined, context);
      context.path.pop();
    } else if (context.nulls) {
      (out ??= { ...object })[name] = null;
    }
  }
  return out ?? object;
}

/** Values that a later one of the same key has replaced must fit the type all the same. */
function checkReplaced(values: readonly unknown[], field: CompiledField, context: CheckContext): void {
  if (context.strict) context.duplicateField(field.schema.name);
  context.path.push(field.schema);
  for (const value of values) if (value !== null) field.check(value, context);
  context.path.pop();
}

/** Objects given twice under one key are taken together. */
function mergeDuplicates(before: unknown, after: unknown): unknown {
  if (!isDictionary(before) || !isDictionary(after)) return after;
  const merged: Dictionary = { ...before };
  for (const key of Object.keys(after)) {
    const value = Object.hasOwn(merged, key) ? mergeDuplicates(merged[key], after[key]) : after[key];
    Object.defineProperty(merged, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return merged;
}

function isDictionary(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral);
}

/** The properties before `key`, in a new object. */
function copyBefore(object: Dictionary, key: string): Dictionary {
  const copy: Dictionary = {};
  for (const name in object) {
    if (name === key) break;
    copy[name] = object[name];
  }
  return copy;
}

function zeroTest(type: TypeSchema): (value: unknown) => boolean {
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return (value) => value === '';
    case 'boolean':
      return (value) => value === false;
    case 'int32':
    case 'int64':
    case 'double':
      return (value) => value === 0;
    case 'list':
      return (value) => (value as unknown[]).length === 0;
    case 'map':
      return (value) => {
        for (const _ in value as Dictionary) return false;
        return true;
      };
    default:
      return () => false;
  }
}

/** The value of an object without a known type: plain numbers, duplicate keys noted. */
export function checkUntyped(value: unknown, context: CheckContext): unknown {
  if (context.strict && context.duplicates) noteDuplicates(value, context);
  return plain(value);
}

/** Notes duplicate keys of a value without a known type. */
export function noteDuplicates(value: unknown, context: CheckContext): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    value.forEach((item, i) => {
      context.path.push(i);
      noteDuplicates(item, context);
      context.path.pop();
    });
    return;
  }
  const duplicates = context.duplicates?.get(value);
  for (const [key, item] of Object.entries(value)) {
    if (duplicates?.has(key)) context.duplicateField(key);
    context.path.push(key);
    noteDuplicates(item, context);
    context.path.pop();
  }
}
