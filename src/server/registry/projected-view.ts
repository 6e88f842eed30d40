import type { CacheEntry } from './cache-entry.js';
import { JsonView } from './json-view.js';
import { frameAround, type ObjectEventType } from './stored-form.js';
import { bookmarkMetadata, type ListMetadata } from './view.js';

/** Objects reduced to `kind`, `apiVersion` and `metadata`. */
export class MetadataView extends JsonView {
  readonly name: string;

  constructor(
    /** `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`. */
    private readonly apiVersion: string,
  ) {
    super();
    this.name = `metadata:${apiVersion}`;
  }

  bytes(entry: CacheEntry): Buffer {
    return entry.view(this.name, () => Buffer.from(JSON.stringify(this.object(entry))));
  }

  object(entry: CacheEntry): unknown {
    return { kind: 'PartialObjectMetadata', apiVersion: this.apiVersion, metadata: entry.object.metadata };
  }

  frame(type: ObjectEventType, entry: CacheEntry): Buffer {
    return frameAround(type, this.bytes(entry));
  }

  bookmark(revision: number, initialEventsEnd: boolean): unknown {
    return { kind: 'PartialObjectMetadata', apiVersion: this.apiVersion, metadata: bookmarkMetadata(revision, initialEventsEnd) };
  }

  listHead(metadata: ListMetadata): string {
    return `{"kind":"PartialObjectMetadataList","apiVersion":"${this.apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`;
  }

  itemLength(entry: CacheEntry): number {
    return this.bytes(entry).length;
  }

  writeItem(entry: CacheEntry, target: Buffer, at: number): number {
    return this.bytes(entry).copy(target, at);
  }

  listObject(metadata: ListMetadata, entries: readonly CacheEntry[]): unknown {
    return { kind: 'PartialObjectMetadataList', apiVersion: this.apiVersion, metadata, items: entries.map((entry) => this.object(entry)) };
  }
}
