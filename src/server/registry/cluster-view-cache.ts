import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import type { CacheEntry } from './cache-entry.js';
import type { CacheEvent } from './cache-event.js';
import type { Cacher } from './cacher.js';
import type { ClusterView, ViewChange, ViewIndexer } from './cluster-view.js';
import type { ResourceCache } from './resource-cache.js';
import { namespaceRange, objectKey } from './resource-key.js';

type AnyIndexer = ViewIndexer<KubeObject>;

/** The {@link ClusterView} over the watch caches. */
export class CacheClusterView implements ClusterView {
  private readonly indexes = new Map<ResourceCache, Map<unknown, ValueIndex>>();

  constructor(private readonly cacher: Cacher) {}

  get<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): T | undefined {
    return this.cacher.cacheOf(ref).get(objectKey(namespace, name))?.object as T | undefined;
  }

  list<T extends KubeObject>(ref: ResourceRef<T>, namespace = ''): readonly T[] {
    const range = namespaceRange(namespace);
    return this.cacher.cacheOf(ref).tree.values(range.start, range.end).map((entry) => entry.object as T);
  }

  byIndex<T extends KubeObject>(ref: ResourceRef<T>, indexer: ViewIndexer<T>, value: string): readonly T[] {
    const cache = this.cacher.cacheOf(ref);
    let ofCache = this.indexes.get(cache);
    if (!ofCache) this.indexes.set(cache, (ofCache = new Map()));
    let index = ofCache.get(indexer);
    if (!index) {
      index = new ValueIndex(cache, indexer as unknown as AnyIndexer);
      ofCache.set(indexer, index);
    }
    return index.get(value) as readonly KubeObject[] as readonly T[];
  }

  version(ref: ResourceRef): number {
    return this.cacher.cacheOf(ref).version;
  }

  onChange<T extends KubeObject>(ref: ResourceRef<T>, listener: (change: ViewChange<T>) => void): () => void {
    return this.cacher.cacheOf(ref).onChange((event) => listener(viewChange<T>(event)));
  }
}

function viewChange<T extends KubeObject>(event: CacheEvent): ViewChange<T> {
  return {
    type: event.deleted ? 'DELETED' : event.previous ? 'MODIFIED' : 'ADDED',
    object: event.entry.object as T,
    previous: event.previous?.object as T | undefined,
  };
}

/** One index, kept up to date from the moment it was made. */
class ValueIndex {
  private readonly byValue = new Map<string, Map<string, CacheEntry>>();

  constructor(
    cache: ResourceCache,
    private readonly indexer: AnyIndexer,
  ) {
    cache.tree.visit(undefined, undefined, (entry) => this.put(entry));
    cache.onChange((event) => {
      if (event.previous) this.remove(event.previous);
      if (!event.deleted) this.put(event.entry);
    });
  }

  get(value: string): KubeObject[] {
    const entries = this.byValue.get(value);
    return entries ? [...entries.values()].map((entry) => entry.object) : [];
  }

  private put(entry: CacheEntry): void {
    for (const value of this.indexer.values(entry.object)) {
      const entries = this.byValue.get(value);
      if (entries) entries.set(entry.key, entry);
      else this.byValue.set(value, new Map([[entry.key, entry]]));
    }
  }

  private remove(entry: CacheEntry): void {
    for (const value of this.indexer.values(entry.object)) {
      const entries = this.byValue.get(value);
      if (entries?.delete(entry.key) && entries.size === 0) this.byValue.delete(value);
    }
  }
}
