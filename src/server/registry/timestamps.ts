/** A time as Kubernetes writes it: UTC, whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
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

/** Milliseconds of a timestamp; undefined when there is none or it cannot be read. */
export function parseTimestamp(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
