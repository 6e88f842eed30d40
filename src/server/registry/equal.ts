/** Deep equality of plain JSON data; fields that are undefined count as absent. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key of Object.keys(left)) {
    if (left[key] !== undefined && (!Object.hasOwn(right, key) || !jsonEqual(left[key], right[key]))) return false;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined && (!Object.hasOwn(left, key) || left[key] === undefined)) return false;
  return true;
}
