import type { KubeObject } from '../../api/meta/object.js';
import type { Informer } from '../../client/index.js';

/** An informer's objects, some of which are already as they will be once a write of ours is visible. */
export class AssumeCache<T extends KubeObject> {
  private readonly assumed = new Map<string, T>();
  private readonly waiters = new Set<() => void>();
  /** Ends the watching. */
  readonly close: () => void;

  constructor(private readonly informer: Informer<T>) {
    const changed = (object: T): void => {
      this.assumed.delete(keyOf(object));
      for (const wake of [...this.waiters]) wake();
    };
    this.close = informer.addHandler({ add: changed, update: changed, delete: changed });
  }

  get(namespace: string, name: string): T | undefined {
    return this.assumed.get(`${namespace}/${name}`) ?? this.informer.get(namespace, name);
  }

  /** As the API server has it. */
  stored(namespace: string, name: string): T | undefined {
    return this.informer.get(namespace, name);
  }

  byIndex(index: string, value: string): readonly T[] {
    const objects = this.informer.byIndex(index, value);
    return this.assumed.size === 0 ? objects : objects.map((one) => this.assumed.get(keyOf(one)) ?? one);
  }

  /** Uses `object` until the watch shows another state. */
  assume(object: T): void {
    this.assumed.set(keyOf(object), object);
  }

  /** Undoes {@link assume}. */
  restore(object: T): void {
    this.assumed.delete(keyOf(object));
  }

  /** Calls `wake` on every change until the returned function is called. */
  onChange(wake: () => void): () => void {
    this.waiters.add(wake);
    return () => this.waiters.delete(wake);
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
