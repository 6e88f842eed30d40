import type { V1Binding, V1Pod } from '../../api/generated/types.js';
import { withCondition, type ConditionLike } from '../../api/helpers/conditions.js';
import type { KubeObject } from '../../api/meta/object.js';
import { PODS, type ResourceRef } from '../../api/resource-refs.js';
import { notFoundError } from '../../api/status-error.js';
import type { Client, Informer, InformerFactory, InformerHandler, ResourceClient } from '../../client/index.js';
import type { EventRecorder } from '../../reconcile/index.js';

/** An Event that was recorded. */
export interface RecordedEvent {
  readonly object: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly component: string;
}

/** An API server in miniature: objects in memory, informers over them, a client, and what the scheduler recorded. */
export class FakeCluster {
  private readonly stores = new Map<string, FakeInformer<KubeObject>>();
  private version = 0;
  readonly events: RecordedEvent[] = [];
  /** Every write in order: `patch pods default/a {…}`. */
  readonly writes: string[] = [];
  /** Called before every write; may throw or wait. */
  onWrite: (write: string) => Promise<void> | void = () => undefined;

  readonly informers: InformerFactory = {
    informer: <T extends KubeObject>(ref: ResourceRef<T>): Informer<T> => this.store(ref),
    start: () => undefined,
    waitForSync: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };

  readonly client: Client = {
    resource: <T extends KubeObject>(ref: ResourceRef<T>): ResourceClient<T> => this.resource(ref),
    raw: () => Promise.reject(new Error('not part of this fake')),
  };

  readonly recorder: EventRecorder = this.recorderFor('');

  /** Creates or replaces an object, as a user would. */
  put<T extends KubeObject>(ref: ResourceRef<T>, object: T): T {
    const metadata = { uid: `uid-${object.metadata?.name}`, ...object.metadata, resourceVersion: String(++this.version) };
    const stored = { ...object, metadata };
    this.store(ref).set(stored);
    return stored;
  }

  remove<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): void {
    this.store(ref).delete(namespace, name);
  }

  get<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): T | undefined {
    return this.store(ref).get(namespace, name);
  }

  pod(name: string, namespace = 'default'): V1Pod | undefined {
    return this.get(PODS, namespace, name);
  }

  private store<T extends KubeObject>(ref: ResourceRef<T>): FakeInformer<T> {
    const key = `${ref.group}/${ref.resource}`;
    let store = this.stores.get(key) as FakeInformer<T> | undefined;
    if (!store) this.stores.set(key, (store = new FakeInformer<T>()) as unknown as FakeInformer<KubeObject>);
    return store;
  }

  private recorderFor(component: string): EventRecorder {
    return {
      event: ({ metadata }, type, reason, message) => this.events.push({ object: metadata?.name ?? '', type, reason, message, component }),
      withComponent: (name) => this.recorderFor(name),
    };
  }

  private resource<T extends KubeObject>(ref: ResourceRef<T>): ResourceClient<T> {
    const store = this.store(ref);
    const find = (namespace: string, name: string): T => {
      const found = store.get(namespace, name);
      if (!found) throw notFoundError(ref, name);
      return found;
    };
    const write = async (text: string): Promise<void> => {
      this.writes.push(text);
      await Promise.resolve();
      await this.onWrite(text);
    };
    const unused = (): Promise<never> => Promise.reject(new Error('not part of this fake'));
    const at = ({ metadata }: KubeObject): [string, string] => [metadata?.namespace ?? '', metadata?.name ?? ''];
    const replace = async (verb: string, object: T): Promise<T> => {
      await write(`${verb} ${ref.resource} ${at(object).join('/')}`);
      find(...at(object));
      return this.put(ref, object);
    };
    return {
      get: async (namespace, name) => Promise.resolve(find(namespace, name)),
      list: unused,
      watch: unused,
      create: async (object) => Promise.resolve(this.put(ref, object)),
      update: (object) => replace('update', object),
      updateStatus: (object) => replace('updateStatus', object),
      patch: async (namespace, name, _type, patch, subresource) => {
        await write(`patch ${ref.resource}${subresource ? `/${subresource}` : ''} ${namespace}/${name} ${JSON.stringify(patch)}`);
        return this.put(ref, mergeStatus(find(namespace, name), patch as KubeObject & { readonly status?: Record<string, unknown> }));
      },
      delete: async (namespace, name) => {
        await write(`delete ${ref.resource} ${namespace}/${name}`);
        find(namespace, name);
        store.delete(namespace, name);
      },
      deleteCollection: unused,
      createSubresource: async <R>(namespace: string, name: string, subresource: string, body: unknown): Promise<R> => {
        const node = (body as V1Binding).target.name ?? '';
        await write(`${subresource} ${namespace}/${name} ${node}`);
        const pod = find(namespace, name) as V1Pod;
        this.put(PODS, { ...pod, spec: { containers: [], ...pod.spec, nodeName: node } });
        return {} as R;
      },
      getSubresource: unused,
      updateSubresource: unused,
    };
  }
}

function mergeStatus<T extends KubeObject>(object: T, patch: { readonly status?: Readonly<Record<string, unknown>> }): T {
  const { conditions, ...rest } = patch.status ?? {};
  const old = (object as { readonly status?: { readonly conditions?: readonly ConditionLike[] } }).status;
  let merged = old?.conditions ?? [];
  for (const condition of (conditions ?? []) as readonly ConditionLike[]) merged = withCondition(merged, condition);
  const status: Record<string, unknown> = { ...old, ...rest, conditions: merged };
  for (const key of Object.keys(status)) if (status[key] === null) delete status[key];
  return { ...object, status };
}

class FakeInformer<T extends KubeObject> implements Informer<T> {
  private readonly objects = new Map<string, T>();
  private readonly handlers: InformerHandler<T>[] = [];
  private readonly indexes = new Map<string, (object: T) => readonly string[]>();
  readonly synced = true;

  whenSynced(): Promise<void> {
    return Promise.resolve();
  }

  get size(): number {
    return this.objects.size;
  }

  get(namespace: string, name: string): T | undefined {
    return this.objects.get(`${namespace}/${name}`);
  }

  list(namespace?: string): readonly T[] {
    const all = [...this.objects.values()];
    return namespace === undefined ? all : all.filter((one) => one.metadata?.namespace === namespace);
  }

  byIndex(index: string, value: string): readonly T[] {
    const values = this.indexes.get(index);
    return values ? this.list().filter((one) => values(one).includes(value)) : [];
  }

  addHandler(handler: InformerHandler<T>): () => void {
    this.handlers.push(handler);
    for (const object of this.objects.values()) handler.add?.(object, true);
    return () => this.handlers.splice(this.handlers.indexOf(handler), 1);
  }

  addIndex(name: string, values: (object: T) => readonly string[]): void {
    this.indexes.set(name, values);
  }

  set(object: T): void {
    const key = `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
    const previous = this.objects.get(key);
    this.objects.set(key, object);
    for (const handler of this.handlers) if (previous) handler.update?.(object, previous);
      else handler.add?.(object, false);
  }

  delete(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    const previous = this.objects.get(key);
    if (!previous) return;
    this.objects.delete(key);
    for (const handler of this.handlers) handler.delete?.(previous);
  }
}
