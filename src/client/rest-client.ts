import type { KubeList, KubeObject } from '../api/meta/object.js';
import { apiVersionOf } from '../api/meta/object.js';
import type { ResourceRef } from '../api/resource-refs.js';
import { typedItems } from './typed-items.js';
import { resourcePath, type QueryValues } from './resource-path.js';
import type {
  Client, DeleteOptions, ListOptions, PatchType, ResourceClient, WatchOptions, WriteOptions,
} from './client.js';
import type { Transport, TransportRequest, WatchEvent } from './transport.js';

/** Settings of a client; all of them optional. */
export interface ClientOptions {
  /** `fieldManager` of writes that name none. Default: the server derives it from the user agent. */
  readonly fieldManager?: string;
}

const PATCH_MEDIA_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};
const METADATA = { object: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };

/** A typed client over a transport; it has the transport's identity. There is no rate limit on this side. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  return {
    resource: <T extends KubeObject>(ref: ResourceRef<T>): ResourceClient<T> => new RestResourceClient<T>(transport, ref, options),
    raw: async (method, path, body) => (await transport.request({ method, path, ...(body === undefined ? {} : { body }) })).body,
  };
}

class RestResourceClient<T extends KubeObject> implements ResourceClient<T> {
  constructor(
    private readonly transport: Transport,
    private readonly ref: ResourceRef<T>,
    private readonly options: ClientOptions,
  ) {}

  get(namespace: string, name: string): Promise<T> {
    return this.send<T>({ method: 'GET', path: this.path(namespace, name) });
  }

  async list(namespace: string, options: ListOptions = {}): Promise<KubeList<T>> {
    const list = await this.send<KubeList<T>>({
      method: 'GET',
      path: this.path(namespace, '', '', listQuery(options)),
      ...(options.metadataOnly ? { accept: METADATA.list } : {}),
    });
    // Go's encoder writes an empty list as null.
    const items = (list.items as KubeList<T>['items'] | null | undefined) ?? [];
    return { ...list, items: options.metadataOnly ? items : typedItems(items, apiVersionOf(this.ref), this.ref.kind) };
  }

  watch(namespace: string, options: WatchOptions = {}): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    const path = this.path(namespace, '', '', {
      ...listQuery(options),
      watch: true,
      allowWatchBookmarks: options.allowWatchBookmarks,
      sendInitialEvents: options.sendInitialEvents,
      timeoutSeconds: options.timeoutSeconds,
    });
    const request: TransportRequest = {
      method: 'GET',
      path,
      ...(options.metadataOnly ? { accept: METADATA.object } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    };
    return this.transport.watch(request) as Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
  }

  create(object: T, options: WriteOptions = {}): Promise<T> {
    return this.send<T>({ method: 'POST', path: this.path(namespaceOf(object), '', '', this.writeQuery(options)), body: this.typed(object) });
  }

  update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.put(object, '', options);
  }

  updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    return this.put(object, 'status', options);
  }

  patch(namespace: string, name: string, type: PatchType, patch: unknown, subresource = '', options: WriteOptions = {}): Promise<T> {
    return this.send<T>({
      method: 'PATCH',
      path: this.path(namespace, name, subresource, this.writeQuery(options)),
      body: patch,
      contentType: PATCH_MEDIA_TYPES[type],
    });
  }

  async delete(namespace: string, name: string, options: DeleteOptions = {}): Promise<void> {
    await this.transport.request({ method: 'DELETE', path: this.path(namespace, name), body: deleteBody(options) });
  }

  async deleteCollection(namespace: string, options: DeleteOptions = {}, list: ListOptions = {}): Promise<void> {
    await this.transport.request({ method: 'DELETE', path: this.path(namespace, '', '', listQuery(list)), body: deleteBody(options) });
  }

  createSubresource<R>(namespace: string, name: string, subresource: string, body: unknown): Promise<R> {
    return this.send<R>({ method: 'POST', path: this.path(namespace, name, subresource), body });
  }

  getSubresource<R>(namespace: string, name: string, subresource: string): Promise<R> {
    return this.send<R>({ method: 'GET', path: this.path(namespace, name, subresource) });
  }

  updateSubresource<R>(namespace: string, name: string, subresource: string, body: unknown): Promise<R> {
    return this.send<R>({ method: 'PUT', path: this.path(namespace, name, subresource), body });
  }

  private put(object: T, subresource: string, options: WriteOptions): Promise<T> {
    return this.send<T>({
      method: 'PUT',
      path: this.path(namespaceOf(object), object.metadata?.name ?? '', subresource, this.writeQuery(options)),
      body: this.typed(object),
    });
  }

  private path(namespace: string, name = '', subresource = '', query?: QueryValues): string {
    return resourcePath(this.ref, namespace, name, subresource, query);
  }

  /** Callers may leave out what the ref says anyway. */
  private typed(object: T): T {
    return object.kind && object.apiVersion ? object : { ...object, apiVersion: apiVersionOf(this.ref), kind: this.ref.kind };
  }

  private writeQuery(options: WriteOptions): QueryValues {
    return {
      dryRun: options.dryRun ? 'All' : undefined,
      fieldManager: options.fieldManager ?? this.options.fieldManager,
      fieldValidation: options.fieldValidation,
      force: options.force ? 'true' : undefined,
    };
  }

  private async send<R>(request: TransportRequest): Promise<R> {
    return (await this.transport.request(request)).body as R;
  }
}

function namespaceOf(object: KubeObject): string {
  return object.metadata?.namespace ?? '';
}

function listQuery(options: ListOptions): QueryValues {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}

function deleteBody(options: DeleteOptions): unknown {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.propagationPolicy ? { propagationPolicy: options.propagationPolicy } : {}),
    ...(options.preconditions ? { preconditions: options.preconditions } : {}),
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
  };
}
