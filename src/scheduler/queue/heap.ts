/** A binary heap whose items can be looked up and removed by key. */
export class KeyedHeap<T> {
  private readonly items: T[] = [];
  private readonly positions = new Map<string, number>();

  constructor(
    private readonly keyOf: (item: T) => string,
    /** True when `a` comes out before `b`. */
    private readonly before: (a: T, b: T) => boolean,
  ) {}

  get size(): number {
    return this.items.length;
  }

  get(key: string): T | undefined {
    const position = this.positions.get(key);
    return position === undefined ? undefined : this.items[position];
  }

  has(key: string): boolean {
    return this.positions.has(key);
  }

  /** The first item, without removing it. */
  peek(): T | undefined {
    return this.items[0];
  }

  /** All items, in no order. */
  values(): readonly T[] {
    return this.items;
  }

  /** Adds an item, or replaces the one with its key. */
  push(item: T): void {
    const key = this.keyOf(item);
    let position = this.positions.get(key);
    if (position === undefined) {
      position = this.items.length;
      this.items.push(item);
    } else {
      this.items[position] = item;
    }
    this.positions.set(key, position);
    this.down(this.up(position));
  }

  pop(): T | undefined {
    const first = this.items[0];
    if (first !== undefined) this.delete(this.keyOf(first));
    return first;
  }

  delete(key: string): T | undefined {
    const position = this.positions.get(key);
    if (position === undefined) return undefined;
    const item = this.items[position]!;
    this.positions.delete(key);
    const last = this.items.pop()!;
    if (position < this.items.length) {
      this.place(last, position);
      this.down(this.up(position));
    }
    return item;
  }

  private place(item: T, position: number): void {
    this.items[position] = item;
    this.positions.set(this.keyOf(item), position);
  }

  private up(start: number): number {
    const item = this.items[start]!;
    let position = start;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!this.before(item, this.items[parent]!)) break;
      this.place(this.items[parent]!, position);
      position = parent;
    }
    if (position !== start) this.place(item, position);
    return position;
  }

  private down(start: number): void {
    const item = this.items[start]!;
    let position = start;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= this.items.length) break;
      if (child + 1 < this.items.length && this.before(this.items[child + 1]!, this.items[child]!)) child++;
      if (!this.before(this.items[child]!, item)) break;
      this.place(this.items[child]!, position);
      position = child;
    }
    if (position !== start) this.place(item, position);
  }
}
