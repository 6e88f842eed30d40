import type { KubeObject } from '../../api/meta/object.js';
import type { Lister } from '../informer.js';

interface Index<T> {
  readonly values: (object: T) => readonly string[];
  readonly buckets: Map<string, Map<string, T>>;
}

const NONE: readonly never[] = [];

/** The objects of an informer by namespace and name, with indexes kept up to date on every change. */
export class ObjectCache<T extends KubeObject> implements Lister<T> {
  private readonly namespaces = new Map<string, Map<string, T>>();
  private readonly indexes = new Map<string, Index<T>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(namespace: string, name: string): T | undefined {
    return this.namespaces.get(namespace)?.get(name);
  }

  list(namespace?: string): readonly T[] {
    if (namespace !== undefined && namespace !== '') {
      const objects = this.namespaces.get(namespace);
      return objects ? [...objects.values()] : NONE;
    }
    const all: T[] = [];
    for (const objects of this.namespaces.values()) for (const object of objects.values()) all.push(object);
    return all;
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.indexes.get(name);
    if (!index) throw new TypeError(`no index named ${name}`);
    const bucket = index.buckets.get(value);
    return bucket ? [...bucket.values()] : NONE;
  }

  /** Objects that are present already are indexed too. Adding the same name again does nothing. */
  addIndex(name: string, values: (object: T) => readonly string[]): void {
    if (this.indexes.has(name)) return;
    const index: Index<T> = { values, buckets: new Map() };
    this.indexes.set(name, index);
    for (const object of this.list()) insert(index, keyOf(object), object);
  }

  /** Returns what was there before. */
  put(object: T): T | undefined {
    const namespace = object.metadata?.namespace ?? '';
    let objects = this.namespaces.get(namespace);
    if (!objects) this.namespaces.set(namespace, (objects = new Map()));
    const name = object.metadata?.name ?? '';
    const previous = objects.get(name);
    objects.set(name, object);
    if (!previous) this.count += 1;
    if (this.indexes.size > 0) {
      const key = keyOf(object);
      for (const index of this.indexes.values()) {
        if (previous) withdraw(index, key, previous);
        insert(index, key, object);
      }
    }
    return previous;
  }

  /** Returns what was there. */
  remove(namespace: string, name: string): T | undefined {
    const objects = this.namespaces.get(namespace);
    const previous = objects?.get(name);
    if (!objects || !previous) return undefined;
    objects.delete(name);
    if (objects.size === 0) this.namespaces.delete(namespace);
    this.count -= 1;
    const key = keyOf(previous);
    for (const index of this.indexes.values()) withdraw(index, key, previous);
    return previous;
  }
}

function keyOf(object: KubeObject): string {
  return `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
}

function insert<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.values(object)) {
    let bucket = index.buckets.get(value);
    if (!bucket) index.buckets.set(value, (bucket = new Map()));
    bucket.set(key, object);
  }
}

function withdraw<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.values(object)) {
    const bucket = index.buckets.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) index.buckets.delete(value);
  }
}
