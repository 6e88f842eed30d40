/** A time as Kubernetes writes it: UTC, whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds of a timestamp; undefined when there is none or it cannot be read. */
export function parseTimestamp(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
