/**
 * A writable copy-in-progress of an API object. Objects are read-only everywhere else; only the code
 * between decoding and storing (defaults, preparation, mutating admission) works on drafts.
 */
export type Draft<T> = T extends (infer U)[] | readonly (infer U)[]
  ? Draft<U>[]
  : T extends object
    ? { -readonly [K in keyof T]: Draft<T[K]> }
    : T;

/** A deep copy of plain JSON data, writable. */
export function toDraft<T>(value: T): Draft<T> {
  return clone(value) as Draft<T>;
}

function clone(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = new Array<unknown>(value.length);
    for (let i = 0; i < value.length; i++) items[i] = clone(value[i]);
    return items;
  }
  const source = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(source)) {
    // `__proto__` is a plain key in JSON and must not become a prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: clone(source[key]), writable: true, enumerable: true, configurable: true });
    else copy[key] = clone(source[key]);
  }
  return copy;
}
