import type { KubeObject } from '../../api/meta/object.js';
import { KubeError, errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Informer, InformerHandler } from '../informer.js';
import { ObjectCache } from './object-cache.js';
import type { ReflectorSink } from './reflector.js';

/** An informer that a reflector fills. A handler that throws is logged and the others go on. */
export class SharedInformer<T extends KubeObject> implements Informer<T>, ReflectorSink<T> {
  private readonly cache = new ObjectCache<T>();
  private handlers: InformerHandler<T>[] = [];
  private filled = false;
  private ended = false;
  private waiters: { resolve(): void; reject(error: Error): void }[] = [];

  /** `name` is what log lines call it. */
  constructor(
    private readonly name: string,
    private readonly log: Logger,
  ) {}

  get synced(): boolean {
    return this.filled;
  }

  get size(): number {
    return this.cache.size;
  }

  get(namespace: string, name: string): T | undefined {
    return this.cache.get(namespace, name);
  }

  list(namespace?: string): readonly T[] {
    return this.cache.list(namespace);
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.cache.byIndex(index, value);
  }

  addIndex(name: string, values: (object: T) => readonly string[]): void {
    this.cache.addIndex(name, values);
  }

  addHandler(handler: InformerHandler<T>): () => void {
    this.handlers = [...this.handlers, handler];
    if (this.filled) for (const object of this.cache.list()) this.call(() => handler.add?.(object, true));
    return () => {
      this.handlers = this.handlers.filter((other) => other !== handler);
    };
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    if (this.filled) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (signal?.aborted || this.ended) return reject(stopped(this.name));
      const abort = (): void => {
        this.waiters = this.waiters.filter((other) => other !== waiter);
        reject(stopped(this.name));
      };
      const waiter = {
        resolve: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        reject: (error: Error) => {
          signal?.removeEventListener('abort', abort);
          reject(error);
        },
      };
      this.waiters.push(waiter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  replace(objects: readonly T[]): void {
    const initial = !this.filled;
    const gone = new Map<string, T>();
    for (const object of this.cache.list()) gone.set(keyOf(object), object);
    for (const object of objects) {
      gone.delete(keyOf(object));
      this.store(object, initial);
    }
    for (const object of gone.values()) this.remove(object);
    if (!initial) return;
    this.filled = true;
    for (const waiter of this.waiters.splice(0)) waiter.resolve();
  }

  put(object: T): void {
    this.store(object, false);
  }

  remove(object: T): void {
    const previous = this.cache.remove(object.metadata?.namespace ?? '', object.metadata?.name ?? '');
    // The event carries the last state, newer than our copy; a re-list only has our copy.
    if (previous) for (const handler of this.handlers) this.call(() => handler.delete?.(object));
  }

  /** Wakes those who wait for a sync that will not come. */
  end(): void {
    this.ended = true;
    for (const waiter of this.waiters.splice(0)) waiter.reject(stopped(this.name));
  }

  private store(object: T, initial: boolean): void {
    const previous = this.cache.put(object);
    if (!previous) {
      for (const handler of this.handlers) this.call(() => handler.add?.(object, initial));
      return;
    }
    if (previous.metadata?.resourceVersion === object.metadata?.resourceVersion) return;
    if (previous.metadata?.uid !== object.metadata?.uid) {
      // Deleted and made again while nobody looked: two objects, so two events.
      for (const handler of this.handlers) this.call(() => handler.delete?.(previous));
      for (const handler of this.handlers) this.call(() => handler.add?.(object, initial));
      return;
    }
    for (const handler of this.handlers) this.call(() => handler.update?.(object, previous));
  }

  private call(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      this.log.error('an informer handler failed', { resource: this.name, error: errorMessage(error), stack: error instanceof Error ? error.stack : undefined });
    }
  }
}

function keyOf(object: KubeObject): string {
  return `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
}

function stopped(name: string): KubeError {
  return new KubeError('KUBE_INFORMER_STOPPED', `the informer of ${name} stopped before it was synced`);
}
