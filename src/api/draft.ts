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

/** `inside`: 0 for the value itself, 1 for its metadata, 2 for everything else. */
function clone(value: unknown, inside: 0 | 1 | 2): unknown {
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
    // `__proto__` is a plain key in JSON and must not become a prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: clone(child, 2), writable: true, enumerable: true, configurable: true });
    else if (inside === 1 && key === 'managedFields' && Array.isArray(child)) copy[key] = [...(child as unknown[])];
    else copy[key] = clone(child, inside === 0 && key === 'metadata' ? 1 : 2);
  }
  return copy;
}
