import { RESOURCES } from '../../api/facts/resources.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import type { ResourceFacts } from '../../api/scheme/resource-facts.js';
import { pathNotFoundError } from '../../api/status-error.js';
import { FakeClock } from '../../base/clock.js';
import { SeededRandom } from '../../base/random.js';
import type { Client, DeleteOptions, Informer, InformerFactory, ListOptions, PatchType, ResourceClient, WatchEvent, WatchOptions, WriteOptions } from '../../client/index.js';
import { applyPatch, MemoryCollection, type Change, type Fields } from './memory-collection.js';
import { discoveryAnswer } from './memory-discovery.js';
import { MemoryInformer } from './memory-informer.js';

/** One request that changed or read something, as a test sees it. */
export interface Action {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** Body of creates, updates, patches and subresource posts; options of deletes. */
  readonly body?: unknown;
}

export interface FakeApiOptions {
  readonly clock?: FakeClock;
  /** Deleted pods stay, with a deletion timestamp, until the test calls {@link FakeApi.finishPod}. Default false. */
  readonly gracefulPods?: boolean;
  /** Resources beyond the built-in ones, for discovery. */
  readonly extraResources?: readonly ResourceFacts[];
}

/**
 * A small API server in memory, synchronous inside: a write has reached every informer when its promise is made. It knows generated names,
 * UIDs, resource versions and conflicts, generations, status as a subresource, finalizers, preconditions, propagation
 * policies, label and simple field selectors, merge and strategic patches, watches and discovery; no validation, no defaults.
 */
export class FakeApi implements Client, InformerFactory {
  readonly clock: FakeClock;
  readonly random = new SeededRandom(11);
  /** Everything that was asked, in order. */
  readonly actions: Action[] = [];
  /** May throw to make a request fail, or answer a subresource; return undefined to go on. */
  react: (action: Action) => unknown = () => undefined;
  private readonly collections = new Map<string, MemoryCollection>();
  private readonly informers = new Map<string, { readonly ref: ResourceRef; readonly informer: MemoryInformer<KubeObject>; readonly matches: (object: KubeObject) => boolean }>();
  private readonly watchers = new Set<{ readonly key: string; readonly namespace: string; push(event: WatchEvent): void }>();
  private version = 100;
  private extra: ResourceFacts[];

  constructor(private readonly options: FakeApiOptions = {}) {
    this.clock = options.clock ?? new FakeClock();
    this.extra = [...(options.extraResources ?? [])];
  }

  /** Adds a resource to discovery, as a new custom resource definition does. */
  addResource(facts: ResourceFacts): void {
    this.extra.push(facts);
  }

  removeResource(resource: string): void {
    this.extra = this.extra.filter((facts) => facts.resource !== resource);
  }

  collection(ref: ResourceRef): MemoryCollection {
    const key = keyOf(ref);
    let collection = this.collections.get(key);
    if (!collection) {
      collection = new MemoryCollection(ref, {
        clock: this.clock,
        random: this.random,
        gracefulPods: this.options.gracefulPods ?? false,
        nextVersion: () => String(++this.version),
        changed: (_ref, change) => this.changed(ref, change),
      });
      this.collections.set(key, collection);
    }
    return collection;
  }

  /** Creates an object without recording an action. */
  seed<T extends KubeObject>(ref: ResourceRef<T>, object: T): T {
    const status = (object as Fields)['status'];
    const created = this.collection(ref).create(object);
    return (status === undefined ? created : this.collection(ref).update({ ...created, status } as KubeObject, 'status')) as T;
  }

  /** Changes a stored object without recording an action: `change` returns fields to merge. */
  edit<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string, change: (object: T) => unknown): T {
    const collection = this.collection(ref);
    const old = collection.get(namespace, name);
    const patched = applyPatch(old, change(old as T), true) as KubeObject;
    const specChanged = JSON.stringify((patched as Fields)['spec']) !== JSON.stringify((old as Fields)['spec']);
    return collection.store({ ...patched, metadata: { ...patched.metadata, generation: (old.metadata?.generation ?? 1) + (specChanged ? 1 : 0) } }, old) as T;
  }

  /** The node agent has stopped a pod that was deleted gracefully. */
  finishPod(namespace: string, name: string): void {
    const collection = this.collection(builtin('pods'));
    collection.remove(collection.get(namespace, name));
  }

  /** Objects of a resource, all namespaces, by name. */
  all<T extends KubeObject>(ref: ResourceRef<T>): T[] {
    return [...this.collection(ref).objects.values()].sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1)) as T[];
  }

  find<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): T | undefined {
    return this.collection(ref).objects.get(`${namespace}/${name}`) as T | undefined;
  }

  resource<T extends KubeObject>(ref: ResourceRef<T>): ResourceClient<T> {
    return new FakeResourceClient<T>(this, ref);
  }

  raw(method: string, path: string, body?: unknown): Promise<unknown> {
    try {
      const reaction = this.record({ verb: method.toLowerCase(), resource: path, namespace: '', name: '', subresource: '', body });
      return Promise.resolve(reaction ?? discoveryAnswer(path.split('?')[0]!, this.extra));
    } catch (error) {
      return Promise.reject(asError(error));
    }
  }

  informer<T extends KubeObject>(ref: ResourceRef<T>, options: { readonly namespace?: string; readonly fieldSelector?: string; readonly labelSelector?: string } = {}): Informer<T> {
    return this.memoryInformer(ref, options);
  }

  /** The informer with its `pause` and `resume`. */
  memoryInformer<T extends KubeObject>(ref: ResourceRef<T>, options: { readonly namespace?: string } = {}): MemoryInformer<T> {
    const key = `${keyOf(ref)}|${options.namespace ?? ''}`;
    let entry = this.informers.get(key);
    if (!entry) {
      const namespace = options.namespace ?? '';
      entry = { ref, informer: new MemoryInformer<KubeObject>(this.collection(ref)), matches: (object) => namespace === '' || object.metadata?.namespace === namespace };
      this.informers.set(key, entry);
    }
    return entry.informer as unknown as MemoryInformer<T>;
  }

  start(): void {
    // Informers of the fake are always up to date.
  }

  waitForSync(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  /** Notes an action and asks {@link react}. */
  record(action: Action): unknown {
    this.actions.push(action);
    return this.react(action);
  }

  /** Adds a watcher; see `ResourceClient.watch`. */
  watch(ref: ResourceRef, namespace: string, options: WatchOptions): AsyncIterable<readonly WatchEvent[]> {
    const queue: WatchEvent[] = [];
    let wake: (() => void) | undefined;
    let ended = false;
    const watcher = {
      key: keyOf(ref),
      namespace,
      push: (event: WatchEvent): void => {
        queue.push(event);
        wake?.();
      },
    };
    if (options.sendInitialEvents) {
      for (const object of this.collection(ref).list(namespace, options).items) queue.push({ type: 'ADDED', object });
      queue.push({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.version), annotations: { 'k8s.io/initial-events-end': 'true' } } } });
    }
    this.watchers.add(watcher);
    options.signal?.addEventListener('abort', () => {
      ended = true;
      this.watchers.delete(watcher);
      wake?.();
    }, { once: true });
    return {
      async *[Symbol.asyncIterator]() {
        while (!ended) {
          if (queue.length > 0) yield queue.splice(0);
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    };
  }

  private changed(ref: ResourceRef, change: Change): void {
    const key = keyOf(ref);
    for (const watcher of this.watchers) {
      if (watcher.key === key && (watcher.namespace === '' || watcher.namespace === change.object.metadata?.namespace)) watcher.push({ type: change.type, object: change.object });
    }
    for (const entry of [...this.informers.values()]) if (keyOf(entry.ref) === key && entry.matches(change.object)) entry.informer.take(change);
  }
}

class FakeResourceClient<T extends KubeObject> implements ResourceClient<T> {
  constructor(
    private readonly api: FakeApi,
    private readonly ref: ResourceRef<T>,
  ) {}

  get(namespace: string, name: string): Promise<T> {
    return this.run('get', namespace, name, '', undefined, () => this.collection.get(this.scope(namespace), name));
  }

  list(namespace: string, options: ListOptions = {}): Promise<{ metadata: { resourceVersion: string }; items: readonly T[] }> {
    return this.run('list', namespace, '', '', undefined, () => this.collection.list(this.scope(namespace), options));
  }

  watch(namespace: string, options: WatchOptions = {}): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    return this.run('watch', namespace, '', '', undefined, () => this.api.watch(this.ref, this.scope(namespace), options));
  }

  create(object: T, options: WriteOptions = {}): Promise<T> {
    return this.run('create', namespaceOf(object), object.metadata?.name ?? '', '', object, () => (options.dryRun ? object : this.collection.create(object)));
  }

  update(object: T): Promise<T> {
    return this.run('update', namespaceOf(object), object.metadata?.name ?? '', '', object, () => this.collection.update(object, ''));
  }

  updateStatus(object: T): Promise<T> {
    return this.run('update', namespaceOf(object), object.metadata?.name ?? '', 'status', object, () => this.collection.update(object, 'status'));
  }

  patch(namespace: string, name: string, type: PatchType, patch: unknown, subresource = ''): Promise<T> {
    return this.run('patch', namespace, name, subresource, patch, () => {
      const old = this.collection.get(this.scope(namespace), name);
      const patched = applyPatch(old, patch, type === 'strategic') as KubeObject;
      const uid = (patch as { metadata?: { uid?: string } }).metadata?.uid;
      return this.collection.update({ ...patched, metadata: { ...patched.metadata, ...(uid ? { uid } : {}) } }, subresource);
    });
  }

  delete(namespace: string, name: string, options: DeleteOptions = {}): Promise<void> {
    return this.run('delete', namespace, name, '', options, () => this.collection.delete(this.scope(namespace), name, options));
  }

  deleteCollection(namespace: string, options: DeleteOptions = {}, list: ListOptions = {}): Promise<void> {
    return this.run('deletecollection', namespace, '', '', options, () => {
      for (const object of this.collection.list(this.scope(namespace), list).items) this.collection.delete(namespaceOf(object), object.metadata?.name ?? '', options);
    });
  }

  createSubresource<R>(namespace: string, name: string, subresource: string, body: unknown): Promise<R> {
    return this.run('create', namespace, name, subresource, body, () => ({}));
  }

  getSubresource<R>(namespace: string, name: string, subresource: string): Promise<R> {
    return this.run('get', namespace, name, subresource, undefined, () => ({}));
  }

  updateSubresource<R>(namespace: string, name: string, subresource: string, body: unknown): Promise<R> {
    return this.run('update', namespace, name, subresource, body, () => {
      if (this.ref.resource !== 'namespaces' || subresource !== 'finalize') return {};
      const old = this.collection.get('', name);
      const spec = (body as Fields)['spec'];
      const next = { ...old, spec } as KubeObject;
      const finalizers = (spec as { finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
      if (old.metadata?.deletionTimestamp && finalizers.length === 0) this.collection.remove(next);
      else this.collection.store(next, old);
      return next;
    });
  }

  private get collection(): MemoryCollection {
    return this.api.collection(this.ref);
  }

  private scope(namespace: string): string {
    return this.ref.namespaced ? namespace : '';
  }

  private run<R>(verb: string, namespace: string, name: string, subresource: string, body: unknown, action: () => unknown): Promise<R> {
    try {
      const reaction = this.api.record({ verb, resource: this.ref.resource, namespace, name, subresource, ...(body === undefined ? {} : { body }) });
      return Promise.resolve((reaction ?? action()) as R);
    } catch (error) {
      return Promise.reject(asError(error));
    }
  }
}

function namespaceOf(object: KubeObject): string {
  return object.metadata?.namespace ?? '';
}

function keyOf(ref: ResourceRef): string {
  return `${ref.group}/${ref.resource}`;
}

function builtin(resource: string): ResourceRef {
  const facts = RESOURCES.find((candidate) => candidate.resource === resource);
  if (!facts) throw pathNotFoundError();
  return facts;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
