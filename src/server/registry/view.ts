import type { CacheEntry } from './cache-entry.js';
import type { ObjectEventType } from './stored-form.js';

/**
 * A form in which objects are answered: a served version, the metadata alone, a table row. Views of the same name
 * give the same bytes, so that watchers with the same view share them.
 */
export interface View {
  readonly name: string;
  /** An object on its own. */
  bytes(entry: CacheEntry): Buffer;
  /** An object for our own process; shared, must not be changed. */
  object(entry: CacheEntry): unknown;
  /** A watch event with its line end. */
  frame(type: ObjectEventType, entry: CacheEntry): Buffer;
  /** The first event that a watcher gets, where it differs (tables then carry their columns). */
  firstFrame?(type: ObjectEventType, entry: CacheEntry): Buffer;
  /** The object of a bookmark. */
  bookmark(revision: number, initialEventsEnd: boolean): unknown;
}
