/**
 * Counts the bytes of values as JSON text, without writing it. What a container weighs is remembered: neither it nor anything
 * within may be changed afterwards. A value that holds the same part many times is counted in the time that the part takes once.
 */
export class JsonSizes {
  private readonly known = new WeakMap<object, number>();

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return scalarBytes(value);
    let bytes = this.known.get(value);
    if (bytes === undefined) this.known.set(value, (bytes = Array.isArray(value) ? this.ofItems(value) : this.ofMembers(value as Record<string, unknown>)));
    return bytes;
  }

  private ofItems(items: readonly unknown[]): number {
    let bytes = 2 + Math.max(items.length - 1, 0);
    for (const item of items) bytes += this.of(item);
    return bytes;
  }

  private ofMembers(object: Readonly<Record<string, unknown>>): number {
    const keys = Object.keys(object);
    let bytes = 2 + Math.max(keys.length - 1, 0);
    for (const key of keys) bytes += textBytes(key) + 1 + this.of(object[key]);
    return bytes;
  }
}

function scalarBytes(value: unknown): number {
  return typeof value === 'string' ? textBytes(value) : (JSON.stringify(value) ?? 'null').length;
}

function textBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
