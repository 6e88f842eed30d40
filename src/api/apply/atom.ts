import type { ApplyType } from './apply-type.js';

/** Which part of a type a value is handled by. */
export type Atom = 'scalar' | 'list' | 'map';

/** JSON objects in values. */
export type Dictionary = Readonly<Record<string, unknown>>;

export function isDictionary(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The part of the type that fits the value; where the value decides nothing (null, absent, the wrong type) the first that the type has of map, scalar
 * and list, which then finds out what is wrong.
 */
export function atomOf(type: ApplyType, value: unknown): Atom {
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) {
      if (type.list) return 'list';
    } else if (type.map) return 'map';
  } else if (value !== null && value !== undefined && type.scalar !== undefined) return 'scalar';
  if (type.map) return 'map';
  return type.scalar !== undefined ? 'scalar' : 'list';
}

/** Whether both values are the same JSON: null is not absence. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!sameValue(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Dictionary;
  const right = b as Dictionary;
  let count = 0;
  for (const key in left) {
    const value = left[key];
    if (value === undefined) continue;
    if (!sameValue(value, right[key])) return false;
    count++;
  }
  for (const key in right) if (right[key] !== undefined) count--;
  return count === 0;
}

/** The keys of an object in the order of their texts: that of sets of fields. */
export function sortedKeys(object: Dictionary): string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}

export function isEmptyDictionary(value: Dictionary): boolean {
  for (const key in value) if (value[key] !== undefined) return false;
  return true;
}

/** A property of an object read from JSON: its keys may be any text. */
export function own(object: Dictionary, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a property of a copy of an object read from JSON. */
export function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
