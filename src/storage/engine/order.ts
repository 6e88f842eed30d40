/** Compares two strings by their UTF-8 bytes (plain `<` compares UTF-16 units, which differs above U+D7FF). */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Moves surrogates (code points above U+FFFF) behind every other unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/**
 * An ordered set of keys that is cheap to write to: sorting is put off until somebody asks for a
 * range, and then only the keys that came since are sorted and merged in.
 */
export class KeyOrder {
  private sorted: string[] = [];
  private readonly added = new Set<string>();
  private readonly removed = new Set<string>();

  add(key: string): void {
    if (!this.removed.delete(key)) this.added.add(key);
  }

  remove(key: string): void {
    if (!this.added.delete(key)) this.removed.add(key);
  }

  /** Keys in [start, end), at most `limit` (0: all), in order. */
  range(start: string, end: string, limit: number): string[] {
    this.settle();
    const from = this.lowerBound(start);
    const to = this.lowerBound(end);
    return this.sorted.slice(from, limit > 0 ? Math.min(to, from + limit) : to);
  }

  private settle(): void {
    if (this.removed.size > 0) {
      this.sorted = this.sorted.filter((key) => !this.removed.has(key));
      this.removed.clear();
    }
    if (this.added.size > 0) {
      const fresh = [...this.added].sort(compareKeys);
      this.added.clear();
      this.sorted = merge(this.sorted, fresh);
    }
  }

  private lowerBound(key: string): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.sorted[middle]!, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function merge(a: readonly string[], b: readonly string[]): string[] {
  const out = new Array<string>(a.length + b.length);
  let i = 0;
  let j = 0;
  for (let k = 0; k < out.length; k++) {
    if (j >= b.length || (i < a.length && compareKeys(a[i]!, b[j]!) < 0)) out[k] = a[i++]!;
    else out[k] = b[j++]!;
  }
  return out;
}
