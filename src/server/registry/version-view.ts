import { toDraft } from '../../api/draft.js';
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
    this.converted = resource.conversion || resource.custom ? new WeakMap() : undefined;
  }

  bytes(entry: CacheEntry): Buffer {
    return this.asIs(entry) ? entry.bytes : entry.view(this.name, () => this.encode(entry));
  }

  object(entry: CacheEntry): unknown {
    if (this.asIs(entry)) return entry.object;
    let object = this.converted!.get(entry);
    if (!object) {
      object = freezeWhenVerifying(this.served(entry.object));
      this.converted!.set(entry, object);
    }
    return object;
  }

  /** The same for one use: nothing is kept of it. */
  objectForOnce(entry: CacheEntry): KubeObject {
    return this.asIs(entry) ? entry.objectForOnce : this.served(entry.objectForOnce);
  }

  /** Whether what is cached is what is answered. */
  private asIs(entry: CacheEntry): boolean {
    return !this.resource.conversion && !entry.foreign;
  }

  private served(object: KubeObject): KubeObject {
    const { custom, conversion } = this.resource;
    if (conversion || !custom) return fromHub(this.resource, object);
    const draft = toDraft(object);
    custom.prune(draft);
    return draft as KubeObject;
  }

  frame(type: ObjectEventType, entry: CacheEntry): Buffer {
    if (this.asIs(entry) && entry.frameType === type) return entry.frame;
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
    if (this.resource.custom) return this.asIs(entry) ? entry.bytesLength : this.bytes(entry).length;
    return (this.resource.conversion ? this.bytes(entry).length : entry.bytesLength) - this.form.metadataOffset + 1;
  }

  writeItem(entry: CacheEntry, target: Buffer, at: number): number {
    if (this.resource.custom) return this.asIs(entry) ? entry.copyBytes(target, at, 0) : this.bytes(entry).copy(target, at);
    target[at] = OPEN;
    if (this.resource.conversion) return 1 + this.bytes(entry).copy(target, at + 1, this.form.metadataOffset);
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
