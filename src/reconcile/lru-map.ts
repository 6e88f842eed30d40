/**
 * A map that forgets entries that were not read or written for long: it keeps at least the `capacity / 2` newest and never more than `capacity`. Two
 * generations take turns, which costs less than keeping exact order.
 */
export class LruMap<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();

  constructor(private readonly capacity: number) {}

  get(key: string): V | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const kept = this.old.get(key);
    if (kept !== undefined) this.set(key, kept);
    return kept;
  }

  set(key: string, value: V): void {
    this.young.set(key, value);
    if (this.young.size * 2 <= this.capacity) return;
    this.old = this.young;
    this.young = new Map();
  }
}
