import type { CacheEntry } from './cache-entry.js';
import { listChunks } from './list-writer.js';
import type { ObjectEventType } from './stored-form.js';
import type { ListMetadata, View } from './view.js';

/** What views that answer JSON have in common. */
export abstract class JsonView implements View {
  readonly mediaType = 'application/json';
  readonly watchType = 'application/json';
  abstract readonly name: string;

  abstract bytes(entry: CacheEntry): Buffer;
  abstract object(entry: CacheEntry): unknown;
  abstract frame(type: ObjectEventType, entry: CacheEntry): Buffer;
  abstract bookmark(revision: number, initialEventsEnd: boolean): unknown;
  abstract listObject(metadata: ListMetadata, entries: readonly CacheEntry[]): unknown;

  /** A list up to and including the bracket before its items. */
  abstract listHead(metadata: ListMetadata): string;
  /** Length in bytes of an item of a list. */
  abstract itemLength(entry: CacheEntry): number;
  /** Writes an item; returns its length. */
  abstract writeItem(entry: CacheEntry, target: Buffer, at: number): number;

  eventFrame(type: 'BOOKMARK' | 'ERROR', object: unknown): Buffer {
    return Buffer.from(`${JSON.stringify({ type, object })}\n`);
  }

  listPieces(metadata: ListMetadata, entries: readonly CacheEntry[]): Iterable<Buffer> {
    return listChunks(this, metadata, entries);
  }
}
