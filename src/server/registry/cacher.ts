import { sleep, type CancelTimer, type Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { oncePerTurn } from '../../base/once-per-turn.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { isPersisted, type Scheme, type ServedResource } from '../../api/scheme/scheme.js';
import { timeoutError } from '../../api/status-error.js';
import type { KeyValue, Store, StoreEvent, StoreWatch, StoreWatchBatch } from '../../storage/index.js';
import { ResourceCache, type WrittenObjects } from './resource-cache.js';
import { STORE_END, STORE_PREFIX, splitStoreKey, storePrefix } from './resource-key.js';

/** Watchers that allow bookmarks get one this often. */
const BOOKMARK_MILLISECONDS = 60_000;
/** Reads that want a revision of the future wait for it this long. */
const FRESH_MILLISECONDS = 3_000;

interface FreshWaiter {
  readonly revision: number;
  readonly done: () => void;
}

/** The watch caches of all stored resources, fed by one watch of the store. */
export class Cacher {
  /** Objects by the bytes that this process is about to store. */
  readonly written: WrittenObjects = new WeakMap();

  private readonly byPrefix = new Map<string, ResourceCache>();
  /** Looked up once per reference and resource: both are asked for several times per request. */
  private readonly byRef = new WeakMap<ResourceRef, ResourceCache>();
  private readonly byResource = new WeakMap<ServedResource, ResourceCache>();
  /** Changes of resources that are being read for the first time. */
  private readonly opening = new Map<string, StoreEvent[]>();
  /** What the store had at the start of resources that nobody knows yet. */
  private unclaimed = new Map<string, readonly KeyValue[]>();
  private seen = 0;
  private compacted = 0;
  private watch: StoreWatch | undefined;
  private stopping = false;
  /** Watchers are served once per turn of the event loop, with everything that came in. */
  private readonly flushSoon = oncePerTurn(() => {
    for (const cache of this.byPrefix.values()) cache.flush();
  });
  private cancelBookmark: CancelTimer | undefined;
  private waiters: FreshWaiter[] = [];
  private resyncing: Promise<void> | undefined;

  constructor(
    private readonly scheme: Scheme,
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    for (const resource of scheme.resources) if (isPersisted(resource.facts)) this.add(scheme.hubOf(resource));
  }

  /** Everything up to this revision of the store is in the caches. */
  get revision(): number {
    return this.seen;
  }

  /** Others write to the store, too. */
  get isShared(): boolean {
    return this.store.capabilities.shared;
  }

  /** Lists cannot be read at a revision older than this one: the store has been compacted to it. Watches go by what their resource's cache still has. */
  get readableFrom(): number {
    return this.compacted;
  }

  /** Says that the store has been compacted to a revision. */
  forget(before: number): void {
    this.compacted = Math.max(this.compacted, before);
  }

  get caches(): Iterable<ResourceCache> {
    return this.byPrefix.values();
  }

  /** The cache of a resource, whichever served version is asked with; undefined for what is not stored. */
  cache(resource: ServedResource): ResourceCache | undefined {
    const known = this.byResource.get(resource);
    if (known) return known;
    const cache = this.byPrefix.get(storePrefix(resource.storage));
    if (cache) this.byResource.set(resource, cache);
    return cache;
  }

  /** Like {@link cache} for a reference; a reference to something that is not stored is a mistake in the program. */
  cacheOf(ref: ResourceRef): ResourceCache {
    const known = this.byRef.get(ref);
    if (known) return known;
    const resource = this.scheme.resource(ref.group, ref.version, ref.resource);
    const cache = resource && this.cache(resource);
    if (cache) this.byRef.set(ref, cache);
    else throw new TypeError(`${ref.resource}.${ref.group}/${ref.version} is not stored`);
    return cache;
  }

  /** Begins to keep a resource that was not there at the start; reads what is stored of it. `hub`: its hub version. */
  async open(hub: ServedResource): Promise<void> {
    const prefix = storePrefix(hub.storage);
    if (this.byPrefix.has(prefix) || this.opening.has(prefix)) return;
    const meanwhile: StoreEvent[] = [];
    this.opening.set(prefix, meanwhile);
    try {
      const { kvs, revision } = await this.store.range({ start: prefix, end: `${prefix.slice(0, -1)}0` });
      await this.reached(revision);
      this.keep(hub, kvs, revision);
      for (const event of meanwhile) if (event.revision > revision) this.route(event);
    } finally {
      this.opening.delete(prefix);
    }
  }

  /** The same while the server starts, with what has been read already. */
  openAtStart(hub: ServedResource): void {
    const prefix = storePrefix(hub.storage);
    this.keep(hub, this.unclaimed.get(prefix) ?? [], this.seen);
    this.unclaimed.delete(prefix);
  }

  /** The definition of a resource has changed: watches end, objects are looked at anew. */
  renew(hub: ServedResource): void {
    const prefix = storePrefix(hub.storage);
    const cache = this.byPrefix.get(prefix);
    if (cache) this.byPrefix.set(prefix, cache.renewed(hub, this.seen));
  }

  /** Forgets a resource; its watches end. */
  close(hub: ServedResource): void {
    const prefix = storePrefix(hub.storage);
    this.byPrefix.get(prefix)?.endWatches();
    this.byPrefix.delete(prefix);
  }

  /** Reads everything and follows the store from there. `loaded` is called in between: it may {@link openAtStart} resources that are stored, too. */
  async start(loaded: () => void = () => undefined): Promise<void> {
    const { kvs, revision } = await this.store.range({ start: STORE_PREFIX, end: STORE_END });
    const groups = new Map<string, KeyValue[]>();
    for (const kv of kvs) {
      const prefix = splitStoreKey(kv.key)?.prefix;
      if (prefix === undefined) continue;
      const group = groups.get(prefix);
      if (group) group.push(kv);
      else groups.set(prefix, [kv]);
    }
    for (const [prefix, cache] of this.byPrefix) {
      cache.load(groups.get(prefix) ?? [], revision);
      groups.delete(prefix);
    }
    this.seen = revision;
    this.unclaimed = groups;
    loaded();
    this.unclaimed = new Map();
    await this.follow();
    this.armBookmark();
  }

  stop(): void {
    this.stopping = true;
    this.cancelBookmark?.();
    this.watch?.close();
    for (const cache of this.byPrefix.values()) cache.endWatches();
  }

  /**
   * Sees to it that reads see every write acknowledged before: only a store that others write to needs a round trip. Throws the store's
   * errors, and 504 when its watch is behind for too long.
   */
  async fresh(): Promise<void> {
    if (this.isShared) await this.reached(await this.store.currentRevision());
  }

  /** Waits until the caches have come to `revision`; false when they did not within 3 seconds. */
  reach(revision: number): Promise<boolean> | boolean {
    if (revision <= this.seen) return true;
    return new Promise((resolve) => {
      const cancel = this.clock.setTimeout(() => {
        this.waiters = this.waiters.filter((waiter) => waiter !== waiting);
        resolve(false);
      }, FRESH_MILLISECONDS);
      const waiting: FreshWaiter = {
        revision,
        done: () => {
          cancel();
          resolve(true);
        },
      };
      this.waiters.push(waiting);
    });
  }

  private async reached(revision: number): Promise<void> {
    if (revision <= this.seen || (await this.reach(revision))) return;
    throw timeoutError(`request did not complete within the allotted timeout: the watch cache is at revision ${this.seen}, the store at ${revision}`);
  }

  private add(resource: ServedResource): void {
    const prefix = storePrefix(resource.storage);
    if (!this.byPrefix.has(prefix)) this.byPrefix.set(prefix, new ResourceCache(resource, this.written, this.flushSoon));
  }

  private keep(hub: ServedResource, values: readonly KeyValue[], revision: number): void {
    const cache = new ResourceCache(hub, this.written, this.flushSoon);
    cache.load(values, revision);
    this.byPrefix.set(cache.prefix, cache);
  }

  private async follow(): Promise<void> {
    this.watch = await this.store.watch({
      start: STORE_PREFIX,
      end: STORE_END,
      fromRevision: this.seen + 1,
      // What was there before is in the caches.
      previous: false,
      onBatch: (batch) => this.take(batch),
      onEnd: (error) => {
        if (this.stopping) return;
        this.log.warn('the watch of the store ended; reading everything again', { error: errorMessage(error) });
        this.resyncing ??= this.resync().finally(() => {
          this.resyncing = undefined;
        });
      },
    });
  }

  private take(batch: StoreWatchBatch): void {
    for (const event of batch.events) this.route(event);
    this.advance(batch.revision);
  }

  private route(event: StoreEvent): void {
    const key = event.key;
    // The prefix ends at the slash after the resource.
    const resourceEnd = key.indexOf('/', key.indexOf('/', STORE_PREFIX.length) + 1);
    const prefix = key.slice(0, resourceEnd + 1);
    const cache = this.byPrefix.get(prefix);
    if (cache) cache.apply(event);
    else this.opening.get(prefix)?.push(event);
  }

  private advance(revision: number): void {
    if (revision <= this.seen) return;
    this.seen = revision;
    if (this.waiters.length === 0) return;
    const due = this.waiters.filter((waiter) => waiter.revision <= revision);
    this.waiters = this.waiters.filter((waiter) => waiter.revision > revision);
    for (const waiter of due) waiter.done();
  }

  /** After a broken watch: the difference between what the store has and what is here, as events. */
  private async resync(): Promise<void> {
    for (let wait = 100; !this.stopping; wait = Math.min(wait * 2, 5_000)) {
      try {
        const { kvs, revision } = await this.store.range({ start: STORE_PREFIX, end: STORE_END });
        if (revision < this.seen) this.goBack(kvs, revision);
        else {
          for (const event of this.difference(kvs, revision)) this.route(event);
          this.advance(revision);
        }
        await this.follow();
        return;
      } catch (error) {
        this.log.warn('the store cannot be read', { error: errorMessage(error) });
        await sleep(this.clock, wait);
      }
    }
  }

  /** The store was restored from an older copy: nothing that was handed out before holds any more, so that clients have to list again. */
  private goBack(kvs: readonly KeyValue[], revision: number): void {
    this.log.error('the store has gone back in time; all watches end', { from: this.seen, to: revision });
    for (const event of this.difference(kvs, revision, true)) this.route(event);
    for (const cache of this.byPrefix.values()) cache.beginAnew(revision);
    this.seen = revision;
  }

  /** `rewritten`: the same revision may stand for something else than before. */
  private difference(kvs: readonly KeyValue[], revision: number, rewritten = false): StoreEvent[] {
    const events: StoreEvent[] = [];
    const there = new Set<string>();
    for (const kv of kvs) {
      there.add(kv.key);
      const split = splitStoreKey(kv.key);
      const known = split && this.byPrefix.get(split.prefix)?.get(split.rest);
      if (known?.revision !== kv.modRevision || (rewritten && !known.raw.equals(kv.value))) {
        events.push({ type: 'put', key: kv.key, value: kv.value, previous: undefined, createRevision: kv.createRevision, revision: kv.modRevision });
      }
    }
    for (const [prefix, cache] of this.byPrefix) {
      cache.tree.visit(undefined, undefined, (entry) => {
        const key = prefix + entry.key;
        if (there.has(key)) return;
        events.push({ type: 'delete', key, value: Buffer.alloc(0), previous: undefined, createRevision: entry.createRevision, revision });
      });
    }
    return events.sort((a, b) => a.revision - b.revision);
  }

  private armBookmark(): void {
    this.cancelBookmark = this.clock.setTimeout(
      () => {
        for (const cache of this.byPrefix.values()) cache.bookmark(this.seen);
        this.armBookmark();
      },
      BOOKMARK_MILLISECONDS,
      { unref: true },
    );
  }
}
