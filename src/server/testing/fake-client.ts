import type { KubeList, KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { alreadyExistsError, conflictError, notFoundError } from '../../api/status-error.js';
import type { Client, PatchType, ResourceClient, WatchEvent } from '../../client/index.js';
import type { FakeView } from './fake-view.js';

/** A client for tests that writes straight into a {@link FakeView} and counts what it did. */
export class FakeClient implements Client {
  /** `create clusterroles/admin` and so on, in order. */
  readonly log: string[] = [];
  private revision = 0;

  constructor(private readonly view: FakeView) {}

  resource<T extends KubeObject>(ref: ResourceRef<T>): ResourceClient<T> {
    const note = (verb: string, object: { readonly metadata?: { readonly name?: string } } | string): void => {
      this.log.push(`${verb} ${ref.resource}/${typeof object === 'string' ? object : (object.metadata?.name ?? '')}`);
    };
    const write = (object: T): T => {
      const revision = String(++this.revision);
      const stored = { ...object, metadata: { uid: `uid-${revision}`, ...object.metadata, resourceVersion: revision } };
      this.view.put(ref, stored);
      return stored;
    };
    const existing = (namespace: string, name: string): T => {
      const object = this.view.get(ref, namespace, name);
      if (!object) throw notFoundError(ref, name);
      return object;
    };
    const update = (object: T): T => {
      const { namespace = '', name = '', resourceVersion } = object.metadata ?? {};
      const stored = existing(namespace, name);
      if (resourceVersion !== undefined && resourceVersion !== stored.metadata?.resourceVersion) throw conflictError(ref, name, 'the object has been modified');
      return write(object);
    };
    const unsupported = (): never => {
      throw new TypeError('not part of the fake');
    };
    return {
      get: async (namespace: string, name: string) => existing(namespace, name),
      list: async (namespace: string): Promise<KubeList<T>> => ({ items: this.view.list(ref, namespace === '' ? undefined : namespace) }),
      watch: async (): Promise<AsyncIterable<readonly WatchEvent<T>[]>> => unsupported(),
      create: async (object: T) => {
        const { namespace = '', name = '' } = object.metadata ?? {};
        note('create', object);
        if (this.view.get(ref, namespace, name)) throw alreadyExistsError(ref, name);
        return write(object);
      },
      update: async (object: T) => {
        note('update', object);
        return update(object);
      },
      updateStatus: async (object: T) => {
        note('updateStatus', object);
        return update(object);
      },
      patch: async (namespace: string, name: string, type: PatchType, patch: unknown, subresource?: string) => {
        note(`patch${subresource ? ` ${subresource}` : ''}`, name);
        // Applies of one owner come to the same here.
        if (type !== 'merge' && type !== 'apply') return unsupported();
        return write(mergePatch(existing(namespace, name), patch) as T);
      },
      delete: async (namespace: string, name: string) => {
        note('delete', name);
        existing(namespace, name);
        this.view.remove(ref, namespace, name);
      },
      deleteCollection: async () => unsupported(),
      createSubresource: async () => unsupported(),
      getSubresource: async () => unsupported(),
      updateSubresource: async () => unsupported(),
    };
  }

  raw(): Promise<unknown> {
    throw new TypeError('not part of the fake');
  }
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(typeof target === 'object' ? (target as Record<string, unknown>) : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
