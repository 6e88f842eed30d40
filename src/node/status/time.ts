/** Milliseconds since the epoch as RFC 3339 with whole seconds: the form of times in statuses. */
export function rfc3339(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** With microseconds: leases and events. */
export function rfc3339Micro(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
