import { OrderedMap } from '../../base/ordered-map.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import type { KeyValue, StoreEvent } from '../../storage/index.js';
import { CacheEntry } from './cache-entry.js';
import type { CacheEvent } from './cache-event.js';
import { CacheWatcher } from './cache-watcher.js';
import type { ConvertedEntries } from './converted-entries.js';
import { ConvertedWatchGroup } from './converted-watch-group.js';
import { FieldIndex } from './field-index.js';
import { DEFAULT_HISTORY, History, type HistoryLimits } from './history.js';
import { namespaceRange, storePrefix } from './resource-key.js';
import { fieldReader } from './selectable-fields.js';
import type { FieldReader, Selection } from './selection.js';
import { StoredForm } from './stored-form.js';
import type { View } from './view.js';
import { BookmarkBatch, eventBatches, type SelectedEvent } from './watch-batch.js';
import { selectEvent } from './watch-group.js';
import { WatchHub } from './watch-hub.js';

/** Fields that lists and watches often require and that must not make them look at every object. */
const INDEXED_FIELDS: Readonly<Record<string, string>> = { '/Pod': 'spec.nodeName' };

/** Objects of values that this process wrote, by the very bytes, so that they need not be parsed again. */
export type WrittenObjects = WeakMap<Buffer, { readonly object: KubeObject; entry?: CacheEntry }>;

/** How a watch begins. */
export type WatchStart =
  /** The present objects as additions, then what happens. `end`: followed by the bookmark that says so. */
  | { readonly type: 'state'; readonly end: boolean }
  /** What happened after this revision. */
  | { readonly type: 'since'; readonly revision: number };

/**
 * All objects of one resource in memory: the newest state, recent history, indexes and watchers. Changes come from the
 * store only. Everything is synchronous; a revision is in either wholly or not at all.
 */
export class ResourceCache {
  readonly form: StoredForm;
  readonly prefix: string;
  readonly readField: FieldReader;
  /** Grows with each change. */
  version = 0;

  private current: OrderedMap<CacheEntry> = OrderedMap.empty();
  /** Revision of the last change that was taken in. */
  private lastChange = 0;
  private history: History;
  /** Events come by the thousand and are hardly ever looked at: of those only the bytes are kept, without their parsed form. */
  private readonly isLog: boolean;
  private readonly index: FieldIndex | undefined;
  private readonly hub: WatchHub;
  private readonly listeners = new Set<(event: CacheEvent) => void>();
  /** What changes are taken in by instead. */
  private successor: ResourceCache | undefined;

  constructor(
    /** The hub version. */
    readonly resource: ServedResource,
    private readonly written: WrittenObjects,
    private readonly onDirty: () => void,
    private readonly limits: HistoryLimits = DEFAULT_HISTORY,
  ) {
    const { custom, customVersions } = resource;
    // What is stored is made complete by the rules of the version it is stored in.
    this.form = new StoredForm(resource.hubApiVersion, resource.hub.kind, custom && ((object) => (customVersions?.get(object.apiVersion ?? '') ?? custom).settle(object)));
    this.prefix = storePrefix(resource.storage);
    this.readField = fieldReader(resource.definition);
    const field = INDEXED_FIELDS[`${resource.hub.group}/${resource.hub.kind}`];
    this.index = field === undefined ? undefined : new FieldIndex(field, (entry) => this.readField(entry.object, field));
    this.hub = new WatchHub(this.index, onDirty);
    this.isLog = resource.hub.kind === 'Event';
    this.history = new History(0, this.current, limits);
  }

  /** The newest objects. */
  get tree(): OrderedMap<CacheEntry> {
    return this.current;
  }

  get watcherCount(): number {
    return this.hub.size;
  }

  /** The oldest revision that can be read or watched from. */
  get oldestRevision(): number {
    return this.history.oldest;
  }

  /** The newest state of an object. Requests that are under way while the definition of their kind changes go on with this cache. */
  get(key: string): CacheEntry | undefined {
    const known = this.current.get(key);
    if (!this.successor) return known;
    const newest = this.successor.get(key);
    if (!newest || newest.revision === known?.revision) return newest && known;
    return CacheEntry.of(this.form, key, newest.frameType, newest.raw, newest.revision, newest.createRevision);
  }

  /** The objects as they were at a revision not older than {@link oldestRevision}. */
  treeAt(revision: number): OrderedMap<CacheEntry> {
    return this.history.treeAt(revision);
  }

  /** Takes the objects in that the store has at the start; no events come of it. */
  load(values: readonly KeyValue[], revision: number): void {
    let tree = OrderedMap.empty<CacheEntry>();
    for (const kv of values) {
      const entry = CacheEntry.of(this.form, kv.key.slice(this.prefix.length), 'MODIFIED', kv.value, kv.modRevision, kv.createRevision);
      if (this.isLog) entry.keepOnlyBytes();
      tree = tree.set(entry.key, entry);
      this.index?.change(undefined, entry);
    }
    this.current = tree;
    this.history = new History(revision, tree, this.limits);
    this.lastChange = revision;
    this.version++;
  }

  /** Forgets the past, also for those who watch. */
  beginAnew(revision: number): void {
    this.history = new History(revision, this.current, this.limits);
    this.endWatches();
  }

  /** A cache of the same objects under another definition of their kind; watches of this one end. */
  renewed(resource: ServedResource, revision: number): ResourceCache {
    const cache = new ResourceCache(resource, this.written, this.onDirty, this.limits);
    const values: KeyValue[] = [];
    this.current.visit(undefined, undefined, ({ key, raw, revision: modRevision, createRevision }) => {
      values.push({ key: this.prefix + key, value: raw, modRevision, createRevision });
      return true;
    });
    cache.load(values, revision);
    this.successor = cache;
    this.endWatches();
    return cache;
  }

  /** Takes one change of the store in. */
  apply(change: StoreEvent): void {
    const key = change.key.slice(this.prefix.length);
    const previous = this.current.get(key);
    const deleted = change.type === 'delete';
    if (deleted && previous === undefined) return;
    const entry = deleted && previous ? previous.at('DELETED', change.revision) : this.entryOf(key, change, previous);
    this.current = deleted ? this.current.delete(key) : this.current.set(key, entry);
    this.index?.change(previous, deleted ? undefined : entry);
    this.version++;
    this.lastChange = change.revision;
    const event: CacheEvent = { revision: change.revision, entry, deleted, previous, tree: this.current };
    this.history.add(event);
    this.hub.offer(event);
    for (const listener of this.listeners) listener(event);
    previous?.release();
    if (this.isLog) entry.keepOnlyBytes();
  }

  /** The selected objects of a tree, in order, from `start` on; at most `limit`. */
  select(tree: OrderedMap<CacheEntry>, selection: Selection, start: string | undefined, limit: number): { readonly entries: CacheEntry[]; readonly more: boolean } {
    const range = namespaceRange(selection.namespace);
    if (selection.key !== undefined) {
      const entry = start !== undefined && selection.key < start ? undefined : tree.get(selection.key);
      return { entries: entry && selection.includes(entry) ? [entry] : [], more: false };
    }
    const from = start === undefined || (range.start !== undefined && start < range.start) ? range.start : start;
    if (selection.isEverything) {
      const entries = tree.values(from, range.end, limit === Infinity ? Infinity : limit + 1);
      const more = entries.length > limit;
      if (more) entries.pop();
      return { entries, more };
    }
    const entries: CacheEntry[] = [];
    let more = false;
    this.narrow(tree, selection).visit(from, range.end, (entry) => {
      if (!selection.matches(entry)) return true;
      if (entries.length === limit) {
        more = true;
        return false;
      }
      entries.push(entry);
      return true;
    });
    return { entries, more };
  }

  /** Begins a watch. The caller has checked that the revision to start from is known. */
  watch(selection: Selection, view: View, start: WatchStart, revision: number, allowBookmarks: boolean, converted?: ConvertedEntries): CacheWatcher {
    const watcher = new CacheWatcher(allowBookmarks, (ended) => this.hub.remove(ended, selection, view, converted));
    this.hub.add(watcher, selection, view, (group) => {
      if (group instanceof ConvertedWatchGroup) {
        const entries = start.type === 'state' ? this.select(this.current, selection.place, undefined, Infinity).entries : [];
        const missed = start.type === 'since' ? this.history.since(start.revision) : [];
        group.begin(watcher, { entries, missed, after: this.lastChange, end: start.type === 'state' && start.end ? revision : undefined });
        return;
      }
      if (start.type === 'state') {
        const present = this.select(this.current, selection, undefined, Infinity).entries.map((entry): SelectedEvent => ({ type: 'ADDED', entry }));
        for (const batch of eventBatches(view, present, true)) watcher.push(batch);
        if (start.end) watcher.push(new BookmarkBatch(view, revision, true));
        return;
      }
      const missed = this.history.since(start.revision).flatMap((event) => selectEvent(selection, event) ?? []);
      for (const batch of eventBatches(view, missed)) watcher.push(batch);
    }, converted);
    if (this.successor) watcher.end();
    return watcher;
  }

  /** Calls `listener` after each change; returns what ends it. */
  onChange(listener: (event: CacheEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  flush(): void {
    this.hub.flush();
  }

  bookmark(revision: number): void {
    this.hub.bookmark(revision);
  }

  endWatches(): void {
    this.hub.endAll();
  }

  private narrow(tree: OrderedMap<CacheEntry>, selection: Selection): OrderedMap<CacheEntry> {
    if (!this.index || tree !== this.current) return tree;
    const value = selection.requiredField(this.index.field);
    return value ? this.index.get(value) : tree;
  }

  private entryOf(key: string, change: StoreEvent, previous: CacheEntry | undefined): CacheEntry {
    const known = this.written.get(change.value);
    const entry = CacheEntry.of(this.form, key, previous ? 'MODIFIED' : 'ADDED', change.value, change.revision, change.createRevision, known?.object);
    if (known) {
      known.entry = entry;
      // The store keeps the bytes, and with them what is known of them.
      this.written.delete(change.value);
    }
    return entry;
  }
}
