import { ENTRIES_PER_STEP, type Steps } from '../base/steps.js';
import { isHeavy } from './helpers/heavy.js';

/**
 * A writable copy-in-progress of an API object. Objects are read-only everywhere else; only the code
 * between decoding and storing (defaults, preparation, mutating admission) works on drafts.
 */
export type Draft<T> = T extends (infer U)[] | readonly (infer U)[]
  ? Draft<U>[]
  : T extends object
    ? { -readonly [K in keyof T]: Draft<T[K]> }
    : T;

/** A deep copy of plain JSON data, writable. The entries of an object's managed fields are shared, though: they are replaced, never changed. */
export function toDraft<T>(value: T): Draft<T> {
  return clone(value, 0) as Draft<T>;
}

/** {@link toDraft} with pauses, for objects with very many fields. */
export function* toDraftSteps<T>(value: T): Steps<Draft<T>> {
  return (yield* cloneSteps(value, 0)) as Draft<T>;
}

type Inside = 0 | 1 | 2;

function* cloneSteps(value: unknown, inside: Inside): Steps<unknown> {
  if (typeof value !== 'object' || value === null || !isHeavy(value)) return clone(value, inside);
  yield;
  let done = 0;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      items.push(yield* cloneSteps(item, 2));
      if (++done % ENTRIES_PER_STEP === 0) yield;
    }
    return items;
  }
  const source = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(source)) {
    put(copy, key, isShared(key, source[key], inside) ? [...(source[key] as unknown[])] : yield* cloneSteps(source[key], insideOf(key, inside)));
    if (++done % ENTRIES_PER_STEP === 0) yield;
  }
  return copy;
}

function isShared(key: string, value: unknown, inside: Inside): boolean {
  return inside === 1 && key === 'managedFields' && Array.isArray(value);
}

function insideOf(key: string, inside: Inside): Inside {
  return inside === 0 && key === 'metadata' ? 1 : 2;
}

/** `__proto__` is a plain key in JSON and must not become a prototype. */
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** `inside`: 0 for the value itself, 1 for its metadata, 2 for everything else. */
function clone(value: unknown, inside: Inside): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = new Array<unknown>(value.length);
    for (let i = 0; i < value.length; i++) items[i] = clone(value[i], 2);
    return items;
  }
  const source = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(source)) {
    const child = source[key];
    put(copy, key, isShared(key, child, inside) ? [...(child as unknown[])] : clone(child, insideOf(key, inside)));
  }
  return copy;
}
