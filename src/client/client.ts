import type { KubeList, KubeObject } from '../api/meta/object.js';
import type { ResourceRef } from '../api/resource-refs.js';
import type { WatchEvent } from './transport.js';

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Asks for `PartialObjectMetadata` only: objects have nothing but `apiVersion`, `kind` and `metadata`. */
  readonly metadataOnly?: boolean;
}

export interface WatchOptions extends ListOptions {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** Only of server-side applies: fields of others are taken over. */
  readonly force?: boolean;
}

export interface DeleteOptions extends WriteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** Requests for one resource. `namespace` is empty for cluster-scoped resources, and for lists and watches of all namespaces. */
export interface ResourceClient<T extends KubeObject> {
  get(namespace: string, name: string): Promise<T>;
  list(namespace: string, options?: ListOptions): Promise<KubeList<T>>;
  watch(namespace: string, options?: WatchOptions): Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
  /** The namespace and name are the object's own. */
  create(object: T, options?: WriteOptions): Promise<T>;
  update(object: T, options?: WriteOptions): Promise<T>;
  updateStatus(object: T, options?: WriteOptions): Promise<T>;
  /** `subresource` may be `status`, `scale`, … */
  patch(namespace: string, name: string, type: PatchType, patch: unknown, subresource?: string, options?: WriteOptions): Promise<T>;
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<void>;
  deleteCollection(namespace: string, options?: DeleteOptions, list?: ListOptions): Promise<void>;
  /** Another subresource: POSTs `body` (binding, eviction, token). */
  createSubresource<R>(namespace: string, name: string, subresource: string, body: unknown): Promise<R>;
  getSubresource<R>(namespace: string, name: string, subresource: string): Promise<R>;
  updateSubresource<R>(namespace: string, name: string, subresource: string, body: unknown): Promise<R>;
}

/** A typed client with one identity. */
export interface Client {
  resource<T extends KubeObject>(ref: ResourceRef<T>): ResourceClient<T>;
  /** A request outside the resource scheme (discovery, `/healthz`, pod logs as text). */
  raw(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
}
