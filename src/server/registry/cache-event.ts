import type { OrderedMap } from '../../base/ordered-map.js';
import type { CacheEntry } from './cache-entry.js';

/** One change of one object, as the cache remembers it. */
export interface CacheEvent {
  readonly revision: number;
  /** The new state; for a deletion the last state, at the revision of the deletion. */
  readonly entry: CacheEntry;
  readonly deleted: boolean;
  /** The state before; absent when the object is new. */
  readonly previous: CacheEntry | undefined;
  /** All objects of the resource after the change. */
  readonly tree: OrderedMap<CacheEntry>;
}
