/** A wall-clock time in milliseconds as `metav1.Time`: RFC 3339 in UTC with whole seconds. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
