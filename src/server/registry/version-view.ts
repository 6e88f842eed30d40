import type { KubeObject } from '../../api/meta/object.js';
import { fromHub, type ServedResource } from '../../api/scheme/scheme.js';
import { freezeWhenVerifying } from '../../base/verify.js';
import type { CacheEntry } from './cache-entry.js';
import { JsonView } from './json-view.js';
import { frameAround, type ObjectEventType, StoredForm } from './stored-form.js';
import { bookmarkMetadata, type ListMetadata } from './view.js';

const OPEN = 0x7b;

/** Whole objects in a served version. Those of the hub version are answered with the cached bytes as they are. */
export class VersionView extends JsonView {
  readonly name: string;
  private readonly form: StoredForm;
  private readonly converted: WeakMap<CacheEntry, KubeObject> | undefined;

  constructor(
    private readonly resource: ServedResource,
    /** Fills in what is written although it is not there: objects of bookmarks have nothing but metadata. */
    private readonly complete: (object: KubeObject) => KubeObject = (object) => object,
  ) {
    super();
    this.name = resource.apiVersion;
    this.form = new StoredForm(resource.apiVersion, resource.kind.kind);
    this.converted = resource.conversion ? new WeakMap() : undefined;
  }

  bytes(entry: CacheEntry): Buffer {
    return this.converted ? entry.view(this.name, () => this.encode(entry)) : entry.bytes;
  }

  object(entry: CacheEntry): unknown {
    if (!this.converted) return entry.object;
    let object = this.converted.get(entry);
    if (!object) {
      object = freezeWhenVerifying(fromHub(this.resource, entry.object));
      this.converted.set(entry, object);
    }
    return object;
  }

  /** The same for one use: nothing is kept of it. */
  objectForOnce(entry: CacheEntry): KubeObject {
    return this.converted === undefined ? entry.objectForOnce : fromHub(this.resource, entry.objectForOnce);
  }

  frame(type: ObjectEventType, entry: CacheEntry): Buffer {
    if (!this.converted && entry.frameType === type) return entry.frame;
    return frameAround(type, this.bytes(entry));
  }

  bookmark(revision: number, initialEventsEnd: boolean): unknown {
    return this.complete({ kind: this.resource.kind.kind, apiVersion: this.resource.apiVersion, metadata: bookmarkMetadata(revision, initialEventsEnd) });
  }

  listHead(metadata: ListMetadata): string {
    return `{"kind":"${this.listKind}","apiVersion":"${this.resource.apiVersion}","metadata":${JSON.stringify(this.listMetadata(metadata))},"items":[`;
  }

  itemLength(entry: CacheEntry): number {
    // The kind and version are the list's; items come without, but for those of custom kinds.
    if (this.resource.custom) return this.converted ? this.bytes(entry).length : entry.bytesLength;
    return (this.converted ? this.bytes(entry).length : entry.bytesLength) - this.form.metadataOffset + 1;
  }

  writeItem(entry: CacheEntry, target: Buffer, at: number): number {
    if (this.resource.custom) return this.converted ? this.bytes(entry).copy(target, at) : entry.copyBytes(target, at, 0);
    target[at] = OPEN;
    if (this.converted) return 1 + this.bytes(entry).copy(target, at + 1, this.form.metadataOffset);
    return 1 + entry.copyBytes(target, at + 1, this.form.metadataOffset);
  }

  listObject(metadata: ListMetadata, entries: readonly CacheEntry[]): unknown {
    return {
      kind: this.listKind,
      apiVersion: this.resource.apiVersion,
      metadata: this.listMetadata(metadata),
      items: entries.map((entry) => this.object(entry)),
    };
  }

  /** Upstream's lists of custom objects always have the field. */
  private listMetadata(metadata: ListMetadata): ListMetadata {
    return this.resource.custom ? { continue: '', ...metadata } : metadata;
  }

  private get listKind(): string {
    return this.resource.listKind ?? `${this.resource.kind.kind}List`;
  }

  private encode(entry: CacheEntry): Buffer {
    const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = this.object(entry) as KubeObject;
    return Buffer.from(JSON.stringify({ kind: this.resource.kind.kind, apiVersion: this.resource.apiVersion, metadata, ...rest }));
  }
}
