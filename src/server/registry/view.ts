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
  /** Media type of objects and lists. */
  readonly mediaType: string;
  /** Media type of a watch. */
  readonly watchType: string;
  /** An object on its own. */
  bytes(entry: CacheEntry): Buffer;
  /** An object for our own process; shared, must not be changed. */
  object(entry: CacheEntry): unknown;
  /** A watch event, framed. */
  frame(type: ObjectEventType, entry: CacheEntry): Buffer;
  /** The first event that a watcher gets, where it differs (tables then carry their columns). */
  firstFrame?(type: ObjectEventType, entry: CacheEntry): Buffer;
  /** The object of a bookmark. */
  bookmark(revision: number, initialEventsEnd: boolean): unknown;
  /** An event whose object is in no cache, framed: what {@link bookmark} gives, or a Status. */
  eventFrame(type: 'BOOKMARK' | 'ERROR', object: unknown): Buffer;

  /** The bytes of a list, in pieces that may be written one after the other. */
  listPieces(metadata: ListMetadata, entries: readonly CacheEntry[]): Iterable<Buffer> | AsyncIterable<Buffer>;
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
