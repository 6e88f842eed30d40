import type { TypeSchema } from '../codec/schema.js';
import { jsonKind } from '../codec/type-meta.js';
import { goKind, isObject } from './json.js';

/** Kinds of Go's reflection, for named types too. */
const KIND: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool', int32: 'int32', int64: 'int64', double: 'float64' };

/**
 * The message for a value of a wrong type after a strategic merge patch, where upstream does not go through JSON and words it differently.
 * Undefined when it finds nothing to say.
 */
export function conversionMessage(value: unknown, type: TypeSchema): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (type.kind) {
    case 'struct':
      if (!isObject(value)) return `cannot restore struct from: ${goKind(value)}`;
      return first([...type.fields.values()], (field) => (Object.hasOwn(value, field.name) ? conversionMessage(value[field.name], field.type) : undefined));
    case 'map':
      if (!isObject(value)) return `cannot restore map from ${goKind(value)}`;
      return first(Object.values(value), (item) => conversionMessage(item, type.values));
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
      return first(value as unknown[], (item) => conversionMessage(item, type.items));
    case 'bytes':
      return typeof value === 'string' ? undefined : `cannot restore slice from ${goKind(value)}`;
    case 'string':
    case 'boolean':
    case 'int32':
    case 'int64':
    case 'double':
      return scalarMessage(value, type.kind, type.goName);
    case 'intOrString':
      return typeof value === 'string' || isInt32(value) ? undefined : unmarshalMessage(value, 'int32');
    case 'time':
    case 'microTime':
      return typeof value === 'string' ? undefined : unmarshalMessage(value, 'string');
    default:
      return undefined;
  }
}

function isInt32(value: unknown): boolean {
  return typeof value === 'number' && (value | 0) === value;
}

/** Types with a JSON form of their own are given their part alone, so that the message names no field. */
function unmarshalMessage(value: unknown, goName: string): string {
  const kind = jsonKind(value);
  return `json: cannot unmarshal ${kind === 'number' && goName === 'int32' ? `number ${String(value)}` : kind} into Go value of type ${goName}`;
}

function scalarMessage(value: unknown, kind: string, goName: string): string | undefined {
  const from = goKind(value);
  const to = KIND[kind]!;
  if (from === to || (from === 'int64' && (to === 'int32' || to === 'float64')) || (from === 'float64' && to.startsWith('int') && Number.isInteger(value))) return undefined;
  const convertible = (from === 'int64' && to === 'string') || (from === 'float64' && to.startsWith('int'));
  return convertible ? `cannot convert ${from} to ${goName}` : `unrecognized type: ${to}`;
}

function first<T>(items: readonly T[], message: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = message(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
