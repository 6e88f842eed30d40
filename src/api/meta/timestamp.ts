/** `metav1.Time` of a wall-clock time in milliseconds: RFC 3339 in UTC, whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** `metav1.MicroTime`: the same with six digits of the second, as leases and events have it. */
export function microTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`;
}

/** Milliseconds of a timestamp; undefined when it is absent or not one. */
export function parseTimestamp(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** Remembers the last {@link timestamp}: of a thousand writes in a second, one has to make it. */
export class TimestampMemo {
  private second = NaN;
  private text = '';

  of(milliseconds: number): string {
    const second = Math.floor(milliseconds / 1000);
    if (second !== this.second) {
      this.second = second;
      this.text = timestamp(milliseconds);
    }
    return this.text;
  }
}
