import type { KubeObject } from '../api/meta/object.js';
import type { ResourceRef } from '../api/resource-refs.js';

/** The local, read-only copy that an informer keeps. Objects are frozen and shared. */
export interface Lister<T extends KubeObject> {
  get(namespace: string, name: string): T | undefined;
  list(namespace?: string): readonly T[];
  /** Objects for which the index function gave `value`. */
  byIndex(index: string, value: string): readonly T[];
  /** Number of objects. */
  readonly size: number;
}

export interface InformerHandler<T extends KubeObject> {
  add?(object: T, initial: boolean): void;
  /** Also called on re-lists when the object changed; never when the resource version is the same. */
  update?(object: T, previous: T): void;
  /** `object` is the last known state. */
  delete?(object: T): void;
}

/** Lists once, then watches; reconnects by itself with back-off and resumes without loss. */
export interface Informer<T extends KubeObject> extends Lister<T> {
  /** Handlers are called synchronously, in order, after the local copy has changed. Late ones first get `add` for everything present. */
  addHandler(handler: InformerHandler<T>): () => void;
  /** Must be called before the factory starts. */
  addIndex(name: string, values: (object: T) => readonly string[]): void;
  /** The first complete list has been taken in and handed to the handlers. */
  readonly synced: boolean;
  /** Resolves when {@link synced}; rejects with `KUBE_INFORMER_STOPPED` when `signal` aborts or the factory stops before. */
  whenSynced(signal?: AbortSignal): Promise<void>;
}

/** One shared informer per resource (and selector) for all that run with one client. */
export interface InformerFactory {
  /** `fieldSelector` narrows the watch (node agents: `spec.nodeName=x`). The same arguments give the same informer. */
  informer<T extends KubeObject>(ref: ResourceRef<T>, options?: { readonly namespace?: string; readonly fieldSelector?: string; readonly labelSelector?: string }): Informer<T>;
  /** Starts every informer asked for so far, and later ones at once. */
  start(): void;
  /** Resolves when all of them are synced; rejects with `KUBE_INFORMER_STOPPED` when `signal` aborts or the factory stops before. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}
