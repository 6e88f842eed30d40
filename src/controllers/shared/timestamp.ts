/** `metav1.Time` of a wall-clock time in milliseconds: RFC 3339 in UTC, whole seconds. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Milliseconds of a timestamp; undefined when it is absent or not one. */
export function parseTimestamp(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const value = Date.parse(text);
  return Number.isNaN(value) ? undefined : value;
}
