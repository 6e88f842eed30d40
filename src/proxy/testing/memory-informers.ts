import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import type { Informer, InformerFactory, InformerHandler } from '../../client/index.js';

/** Informers that show what a test puts into them, at once. */
export class MemoryInformers implements InformerFactory {
  private readonly byResource = new Map<string, MemoryInformer>();

  informer<T extends KubeObject>(ref: ResourceRef<T>): Informer<T> {
    // The map holds informers of all kinds; the key holds the kind.
    return this.of(ref.resource) as unknown as Informer<T>;
  }

  /** Adds or replaces an object. */
  put<T extends KubeObject>(ref: ResourceRef<T>, object: T): void {
    this.of(ref.resource).put(object);
  }

  remove<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): void {
    this.of(ref.resource).remove(`${namespace}/${name}`);
  }

  start(): void {
    // They are always up to date.
  }

  waitForSync(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  private of(resource: string): MemoryInformer {
    let informer = this.byResource.get(resource);
    if (!informer) this.byResource.set(resource, (informer = new MemoryInformer()));
    return informer;
  }
}

class MemoryInformer implements Informer<KubeObject> {
  readonly synced = true;
  private readonly objects = new Map<string, KubeObject>();
  private readonly handlers = new Set<InformerHandler<KubeObject>>();

  get size(): number {
    return this.objects.size;
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.objects.get(`${namespace}/${name}`);
  }

  list(): readonly KubeObject[] {
    return [...this.objects.values()];
  }

  byIndex(): readonly KubeObject[] {
    return [];
  }

  addIndex(): void {
    // Nothing here asks for one.
  }

  addHandler(handler: InformerHandler<KubeObject>): () => void {
    this.handlers.add(handler);
    for (const object of this.objects.values()) handler.add?.(object, true);
    return () => this.handlers.delete(handler);
  }

  whenSynced(): Promise<void> {
    return Promise.resolve();
  }

  put(object: KubeObject): void {
    const key = `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
    const previous = this.objects.get(key);
    this.objects.set(key, object);
    for (const handler of this.handlers) {
      if (previous) handler.update?.(object, previous);
      else handler.add?.(object, false);
    }
  }

  remove(key: string): void {
    const object = this.objects.get(key);
    this.objects.delete(key);
    if (object) for (const handler of this.handlers) handler.delete?.(object);
  }
}
