import { ShownText } from '../meta/shown-text.js';

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a key, `__proto__` included. */
export function setKey(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** A value as Go's `%v` prints it: `map[a:1 b:[x y]]`, keys sorted. It is part of messages: a very long one is cut off. */
export function goText(value: unknown): string {
  const text = new ShownText();
  writeGo(value, text);
  return text.toString();
}

/** The same as its `%s` prints it, which is meant for texts: `%!s(int64=1)`. */
export function goVerbText(value: unknown): string {
  const text = new ShownText();
  writeGo(value, text, (scalar) => (typeof scalar === 'string' ? scalar : `%!s(${isNothing(scalar) ? '' : `${goKind(scalar)}=`}${plainScalar(scalar)})`));
  return text.toString();
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function plainScalar(value: unknown): string {
  return isNothing(value) ? '<nil>' : String(value as string | number | boolean);
}

function writeGo(value: unknown, text: ShownText, scalarText = plainScalar): void {
  if (text.isFull) return;
  if (Array.isArray(value)) {
    text.add('[');
    for (let i = 0; i < value.length && !text.isFull; i++) {
      if (i > 0) text.add(' ');
      writeGo(value[i], text, scalarText);
    }
    text.add(']');
  } else if (isObject(value)) {
    let separator = 'map[';
    for (const key of Object.keys(value).sort()) {
      if (text.isFull) return;
      text.add(`${separator}${key}:`);
      writeGo(value[key], text, scalarText);
      separator = ' ';
    }
    text.add(separator === ' ' ? ']' : 'map[]');
  } else text.add(scalarText(value));
}

/** What Go calls the type of a decoded JSON value. */
export function goKind(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return Array.isArray(value) ? 'slice' : 'map';
  }
}

/** Equality of JSON values; the order of keys does not matter. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, (b as unknown[])[i]));
  }
  const [left, right] = [a as JsonObject, b as JsonObject];
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && jsonEqual(left[key], right[key]));
}

/** Drops keys whose value is null, at any depth; nulls in lists stay. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => (item === null ? null : withoutNulls(item)));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setKey(copy, key, withoutNulls(value[key]));
  return copy;
}
