import type { KubeObject } from '../../api/meta/object.js';
import type { Informer, InformerHandler } from '../../client/index.js';
import type { Change, MemoryCollection } from './memory-collection.js';

/** An informer that shows a collection of the fake API at once, or as of the moment it was paused. */
export class MemoryInformer<T extends KubeObject> implements Informer<T> {
  private readonly indexes = new Map<string, (object: T) => readonly string[]>();
  private readonly view = new Map<string, T>();
  private handlers: InformerHandler<T>[] = [];
  private held: Change[] | undefined;
  readonly synced = true;

  constructor(collection: MemoryCollection) {
    for (const [key, object] of collection.objects) this.view.set(key, object as T);
  }

  get size(): number {
    return this.view.size;
  }

  whenSynced(): Promise<void> {
    return Promise.resolve();
  }

  get(namespace: string, name: string): T | undefined {
    return this.view.get(`${namespace}/${name}`);
  }

  list(namespace = ''): readonly T[] {
    return [...this.view.values()].filter((object) => namespace === '' || object.metadata?.namespace === namespace);
  }

  byIndex(index: string, value: string): readonly T[] {
    const values = this.indexes.get(index);
    if (!values) throw new TypeError(`no index named ${index}`);
    return this.list().filter((object) => values(object).includes(value));
  }

  addIndex(name: string, values: (object: T) => readonly string[]): void {
    this.indexes.set(name, values);
  }

  addHandler(handler: InformerHandler<T>): () => void {
    this.handlers = [...this.handlers, handler];
    for (const object of this.list()) handler.add?.(object, true);
    return () => {
      this.handlers = this.handlers.filter((other) => other !== handler);
    };
  }

  /** Holds changes back, as a slow watch does. */
  pause(): void {
    this.held ??= [];
  }

  resume(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const change of held) this.take(change);
  }

  take(change: Change): void {
    if (this.held) {
      this.held.push(change);
      return;
    }
    const object = change.object as T;
    const key = `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
    const previous = this.view.get(key);
    if (change.type === 'DELETED') this.view.delete(key);
    else this.view.set(key, object);
    for (const handler of this.handlers) {
      if (change.type === 'DELETED') handler.delete?.(object);
      else if (previous) handler.update?.(object, previous);
      else handler.add?.(object, false);
    }
  }
}
