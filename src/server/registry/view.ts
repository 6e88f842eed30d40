import type { CacheEntry } from './cache-entry.js';
import type { ObjectEventType } from './stored-form.js';

/** `metadata` of a list. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

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

  /** A list up to and including the bracket before its items. */
  listHead(metadata: ListMetadata): string;
  /** Length in bytes of an item of a list. */
  itemLength(entry: CacheEntry): number;
  /** Writes an item; returns its length. */
  writeItem(entry: CacheEntry, target: Buffer, at: number): number;
  /** A list for our own process. */
  listObject(metadata: ListMetadata, entries: readonly CacheEntry[]): unknown;
}

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** `metadata` of a bookmark. */
export function bookmarkMetadata(revision: number, initialEventsEnd: boolean): Readonly<Record<string, unknown>> {
  return {
    resourceVersion: String(revision),
    ...(initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
  };
}
