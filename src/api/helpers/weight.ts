/** What a number, a boolean, null or a bracket pair counts. */
const BYTES_OF_OTHERS = 4;

/** Whether a value would be about so many bytes long as JSON, or more. It is looked at only until that is known. */
export function weighsAtLeast(value: unknown, bytes: number): boolean {
  return left(value, bytes) <= 0;
}

/** What is left of the bytes when the value has taken its share; 0 or less: too much. */
function left(value: unknown, bytes: number): number {
  if (typeof value === 'string') return bytes - value.length - 2;
  if (typeof value !== 'object' || value === null) return bytes - BYTES_OF_OTHERS;
  let rest = bytes - BYTES_OF_OTHERS;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest > 0; i++) rest = left(value[i], rest);
    return rest;
  }
  const object = value as Readonly<Record<string, unknown>>;
  for (const key in object) {
    if (rest <= 0) break;
    rest = left(object[key], rest - key.length - 4);
  }
  return rest;
}
