import type { Clock } from '../../base/clock.js';
import { toDraft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { LateConversion } from '../../api/scheme/late-conversion.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import { CacheEntry } from './cache-entry.js';
import type { CacheEvent } from './cache-event.js';
import { StoredForm } from './stored-form.js';

/** Objects that are converted by one call, and about how many bytes they may have. */
const BATCH_OBJECTS = 200;
const BATCH_BYTES = 1 << 20;
/** One object on its own is converted again after this: webhooks change, and nobody tells. */
const FRESH_MILLISECONDS = 2_000;

/**
 * The objects of a cache in a version of their own that takes a late conversion. What was converted is kept as long as the entry that it was made of:
 * no object is converted twice for several lists and watchers. What fails is tried again by whoever asks next.
 */
export class ConvertedEntries {
  /** How objects of this version are written. */
  readonly form: StoredForm;
  private readonly made = new WeakMap<CacheEntry, CacheEntry>();
  private readonly sources = new WeakMap<CacheEntry, CacheEntry>();
  private readonly pending = new WeakMap<CacheEntry, Promise<CacheEntry>>();
  private readonly times = new WeakMap<CacheEntry, number>();
  private readonly isStorage: boolean;

  constructor(
    private readonly resource: ServedResource,
    /** The storage version. */
    private readonly storage: ServedResource,
    private readonly conversion: LateConversion,
    private readonly clock: Clock,
  ) {
    this.form = new StoredForm(resource.apiVersion, resource.kind.kind);
    this.isStorage = resource.apiVersion === storage.apiVersion;
  }

  /** Names the version, for what is shared between watchers. */
  get name(): string {
    return this.resource.apiVersion;
  }

  /** An entry of the cache in this version, as the webhook sees it now or did very lately. Rejects with what the conversion says. */
  entry(stored: CacheEntry): CacheEntry | Promise<CacheEntry> {
    const known = this.known(stored);
    if (known && (known === stored || this.clock.now() - (this.times.get(stored) ?? 0) < FRESH_MILLISECONDS)) return known;
    if (known) return this.convert([stored]).then(([entry]) => entry!);
    return this.entries([stored]).then(([entry]) => entry!);
  }

  /** The same for many, in their order; converted in batches one after the other. */
  async entries(stored: readonly CacheEntry[]): Promise<CacheEntry[]> {
    for (const batch of batches(stored.filter((entry) => this.known(entry) === undefined && !this.pending.has(entry)))) {
      const converting = this.convert(batch);
      batch.forEach((entry, i) => {
        const one = converting.then((entries) => entries[i]!);
        // Whoever waits for the batch is told.
        one.catch(() => undefined);
        this.pending.set(entry, one);
      });
      try {
        await converting;
      } finally {
        for (const entry of batch) this.pending.delete(entry);
      }
    }
    return Promise.all(stored.map((entry) => this.known(entry) ?? this.pending.get(entry) ?? this.entry(entry)));
  }

  /** Changes of the cache in this version. */
  async events(events: readonly CacheEvent[]): Promise<CacheEvent[]> {
    // The last state of what was deleted is the one before.
    const needed = new Set<CacheEntry>();
    for (const { deleted, entry, previous } of events) {
      if (previous) needed.add(previous);
      if (!deleted) needed.add(entry);
    }
    const list = [...needed];
    const converted = await this.entries(list);
    const of = new Map(list.map((entry, i) => [entry, converted[i]!]));
    return events.map((event) => {
      const previous = event.previous && of.get(event.previous);
      const entry = event.deleted && previous ? previous.at('DELETED', event.revision) : of.get(event.entry)!;
      return { revision: event.revision, deleted: event.deleted, tree: event.tree, entry, previous };
    });
  }

  /** What the cache has for an entry that was made here. */
  source(entry: CacheEntry): CacheEntry {
    return this.sources.get(entry) ?? entry;
  }

  /** An object of this version as it is to be stored. */
  async toStorage(object: KubeObject): Promise<KubeObject> {
    if (this.isStorage) return object;
    const [converted] = await this.conversion.convert([withoutVersion(object)], this.storage.apiVersion);
    const draft = toDraft(converted!);
    this.storage.custom?.settle(draft);
    return draft as KubeObject;
  }

  private known(stored: CacheEntry): CacheEntry | undefined {
    return this.isStorage && !stored.foreign ? stored : this.made.get(stored);
  }

  private async convert(batch: readonly CacheEntry[]): Promise<CacheEntry[]> {
    const objects = await this.conversion.convert(batch.map((entry) => this.objectOf(entry)), this.resource.apiVersion);
    return batch.map((stored, i) => {
      const entry = CacheEntry.of(this.form, stored.key, stored.frameType, this.form.encode(objects[i]!), stored.revision, stored.createRevision);
      const known = this.made.get(stored);
      const same = known !== undefined && known.bytes.equals(entry.bytes);
      const kept = same ? known : entry;
      this.made.set(stored, kept);
      this.times.set(stored, this.clock.now());
      this.sources.set(kept, stored);
      return kept;
    });
  }

  /** What is stored, made complete by the rules of the version that it is stored in. */
  private objectOf(entry: CacheEntry): KubeObject {
    if (!entry.foreign) return withoutVersion(JSON.parse(entry.bytes.toString()) as KubeObject);
    const object = JSON.parse(entry.raw.toString()) as KubeObject;
    this.resource.customVersions?.get(object.apiVersion ?? '')?.settle(object);
    return object;
  }
}

/** Conversions never see the resource version: it is not part of what is stored. */
function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

function* batches(entries: readonly CacheEntry[]): Generator<CacheEntry[]> {
  let batch: CacheEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = entry.bytesLength;
    if (batch.length > 0 && (batch.length >= BATCH_OBJECTS || bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
