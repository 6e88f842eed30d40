import { OrderedMap } from '../../base/ordered-map.js';
import type { CacheEntry } from './cache-entry.js';

/** The newest objects of a resource by one value each, for instance pods by node. Objects without a value are left out. */
export class FieldIndex {
  private readonly byValue = new Map<string, OrderedMap<CacheEntry>>();

  constructor(
    /** As in field selectors: `spec.nodeName`. */
    readonly field: string,
    private readonly valueOf: (entry: CacheEntry) => string,
  ) {}

  value(entry: CacheEntry): string {
    return this.valueOf(entry);
  }

  change(previous: CacheEntry | undefined, next: CacheEntry | undefined): void {
    const before = previous ? this.valueOf(previous) : '';
    const after = next ? this.valueOf(next) : '';
    if (before !== '' && before !== after && previous) {
      const left = this.byValue.get(before)?.delete(previous.key);
      if (left === undefined || left.size === 0) this.byValue.delete(before);
      else this.byValue.set(before, left);
    }
    if (after !== '' && next) this.byValue.set(after, (this.byValue.get(after) ?? OrderedMap.empty<CacheEntry>()).set(next.key, next));
  }

  get(value: string): OrderedMap<CacheEntry> {
    return this.byValue.get(value) ?? OrderedMap.empty<CacheEntry>();
  }
}
