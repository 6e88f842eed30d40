/**
 * Removes the named fields where they are empty: `""`, `false`, `0`, `null`, `[]`, `{}`. Upstream's answers leave
 * such values out of fields that cannot tell "empty" from "absent"; fields that can must not be named here.
 */
export function dropEmpty<T extends object>(draft: T, fields: readonly (keyof T & string)[]): void {
  for (const field of fields) {
    const value: unknown = draft[field];
    if (value === undefined) continue;
    if (value === '' || value === false || value === 0 || value === null) delete draft[field];
    else if (typeof value === 'object' && isEmptyObject(value)) delete draft[field];
  }
}

function isEmptyObject(value: object): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}
