import { OPTIONAL_STRUCTS } from '../facts/optional-structs.js';

/**
 * Equality of JSON values as upstream's `Semantic.DeepEqual` has it: absent, null, empty list and empty
 * map are the same, the order of keys does not matter, the order of list elements does. An optional struct that is there but
 * empty is not the same as an absent one.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const isObjectA = typeof a === 'object' && a !== null;
  const isObjectB = typeof b === 'object' && b !== null;
  if (!isObjectA || !isObjectB) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b)) return isEmpty(a) && isEmpty(b);
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key of Object.keys(left)) {
    const other = own(right, key);
    if (!deepEqual(left[key], other) || isStruct(key, left[key]) !== isStruct(key, other)) return false;
  }
  for (const key of Object.keys(right)) if (!Object.hasOwn(left, key) && (!isEmpty(right[key]) || isStruct(key, right[key]))) return false;
  return true;
}

function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isStruct(key: string, value: unknown): boolean {
  return typeof value === 'object' && value !== null && OPTIONAL_STRUCTS.has(key);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  return Object.values(value).every((item) => item === undefined);
}
