import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';

/**
 * The server's own synchronous view of the cluster, straight from the watch cache: what authorizers,
 * admission plugins and registries read. As fresh as the newest acknowledged write. Objects are in the hub version, frozen.
 */
export interface ClusterView {
  get<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): T | undefined;
  /** All objects, or those of one namespace. */
  list<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): readonly T[];
  /** Objects for which `indexer` gave `value`; the index is made on first use and kept up to date. `indexer` must be a module-level constant. */
  byIndex<T extends KubeObject>(ref: ResourceRef<T>, indexer: ViewIndexer<T>, value: string): readonly T[];
  /** Grows with every change of the resource; for caches built on top. */
  version(ref: ResourceRef): number;
  /** Calls `listener` after each change, synchronously; returns a function that ends it. */
  onChange<T extends KubeObject>(ref: ResourceRef<T>, listener: (change: ViewChange<T>) => void): () => void;
}

export interface ViewChange<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
  readonly previous: T | undefined;
}

export interface ViewIndexer<T extends KubeObject> {
  readonly name: string;
  readonly values: (object: T) => readonly string[];
}
