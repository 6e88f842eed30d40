import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import type { ClusterView, ViewChange, ViewIndexer } from '../registry/cluster-view.js';

type Listener = (change: ViewChange<KubeObject>) => void;

interface Shelf {
  readonly objects: Map<string, KubeObject>;
  readonly listeners: Set<Listener>;
  version: number;
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** A view for tests, filled by hand. */
export class FakeView implements ClusterView {
  private readonly shelves = new Map<string, Shelf>();

  private shelf(ref: ResourceRef): Shelf {
    const key = `${ref.group}/${ref.resource}`;
    let shelf = this.shelves.get(key);
    if (!shelf) this.shelves.set(key, (shelf = { objects: new Map(), listeners: new Set(), version: 0 }));
    return shelf;
  }

  put<T extends KubeObject>(ref: ResourceRef<T>, ...objects: readonly T[]): this {
    const shelf = this.shelf(ref);
    for (const object of objects) {
      const key = keyOf(object.metadata?.namespace ?? '', object.metadata?.name ?? '');
      const previous = shelf.objects.get(key);
      shelf.objects.set(key, object);
      shelf.version++;
      for (const listener of shelf.listeners) listener({ type: previous ? 'MODIFIED' : 'ADDED', object, previous });
    }
    return this;
  }

  remove(ref: ResourceRef, namespace: string, name: string): void {
    const shelf = this.shelf(ref);
    const object = shelf.objects.get(keyOf(namespace, name));
    if (!object) return;
    shelf.objects.delete(keyOf(namespace, name));
    shelf.version++;
    for (const listener of shelf.listeners) listener({ type: 'DELETED', object, previous: object });
  }

  get<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): T | undefined {
    return this.shelf(ref).objects.get(keyOf(namespace, name)) as T | undefined;
  }

  list<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): readonly T[] {
    const all = [...this.shelf(ref).objects.values()] as T[];
    return namespace === undefined ? all : all.filter((object) => object.metadata?.namespace === namespace);
  }

  byIndex<T extends KubeObject>(ref: ResourceRef<T>, indexer: ViewIndexer<T>, value: string): readonly T[] {
    return this.list(ref).filter((object) => indexer.values(object).includes(value));
  }

  version(ref: ResourceRef): number {
    return this.shelf(ref).version;
  }

  onChange<T extends KubeObject>(ref: ResourceRef<T>, listener: (change: ViewChange<T>) => void): () => void {
    const shelf = this.shelf(ref);
    shelf.listeners.add(listener as Listener);
    return () => shelf.listeners.delete(listener as Listener);
  }
}
