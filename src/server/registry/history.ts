import type { OrderedMap } from '../../base/ordered-map.js';
import type { CacheEntry } from './cache-entry.js';
import type { CacheEvent } from './cache-event.js';

/** Bounds of what is kept of the past. */
export interface HistoryLimits {
  readonly events: number;
  readonly bytes: number;
}

/** Per resource: 10,000 changes or 16 MiB of superseded objects, whichever is reached first. */
export const DEFAULT_HISTORY: HistoryLimits = { events: 10_000, bytes: 16 << 20 };

/** The recent changes of one resource, each with the tree after it: for resuming watches and for reads at exact revisions. */
export class History {
  private events: CacheEvent[] = [];
  /** Events before this index are forgotten. */
  private head = 0;
  private bytes = 0;

  constructor(
    private baseRevision: number,
    private baseTree: OrderedMap<CacheEntry>,
    private readonly limits: HistoryLimits,
  ) {}

  /** Reads and watches can begin at this revision or a later one. */
  get oldest(): number {
    return this.baseRevision;
  }

  add(event: CacheEvent): void {
    this.events.push(event);
    this.bytes += event.entry.frame.length;
    while (this.events.length - this.head > this.limits.events || (this.bytes > this.limits.bytes && this.events.length - this.head > 1)) this.forgetOldest();
  }

  /** The objects as they were at `revision`, which must not be older than {@link oldest}. */
  treeAt(revision: number): OrderedMap<CacheEntry> {
    const after = this.firstAfter(revision);
    return after === this.head ? this.baseTree : this.events[after - 1]!.tree;
  }

  /** The changes after `revision`, which must not be older than {@link oldest}. */
  since(revision: number): CacheEvent[] {
    return this.events.slice(this.firstAfter(revision));
  }

  private firstAfter(revision: number): number {
    let low = this.head;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private forgetOldest(): void {
    const event = this.events[this.head++]!;
    this.bytes -= event.entry.frame.length;
    this.baseRevision = event.revision;
    this.baseTree = event.tree;
    if (this.head >= 1024) {
      this.events = this.events.slice(this.head);
      this.head = 0;
    }
  }
}
