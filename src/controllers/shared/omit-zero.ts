/** The fields that hold something: 0, the empty string and undefined are left out, as Go's `omitempty` does on the wire. */
export function omitZero<T extends object>(fields: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== undefined && value !== 0 && value !== '') kept[key] = value;
  }
  return kept;
}
