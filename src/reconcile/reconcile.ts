import type { KubeObject } from '../api/meta/object.js';

/** What a reconcile wants next. */
export type ReconcileResult = { readonly requeueAfterMilliseconds: number } | undefined | void;

/** Brings one object to its wanted state. Throwing means: again later, with back-off. */
export type Reconcile = (key: string) => Promise<ReconcileResult>;

/** A queue of keys: a key waits at most once, and is never worked on twice at the same time. */
export interface WorkQueue {
  add(key: string): void;
  addAfter(key: string, milliseconds: number): void;
  /** Adds with exponential back-off per key (5 ms to 1000 s), as after a failure. */
  addRateLimited(key: string): void;
  /** Forgets the failures of a key. */
  forget(key: string): void;
  readonly length: number;
}

/** Finer points of an Event. */
export interface EventDetails {
  /** Part of the object that it is about, e.g. `spec.containers{app}`. */
  readonly fieldPath?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What was done or failed, in events of `events.k8s.io`, e.g. `Binding`. */
  readonly action?: string;
  /** A second object that it is about, in events of `events.k8s.io`. */
  readonly related?: KubeObject;
}

export interface EventRecorder {
  /** Records (and aggregates) an Event about `object`. Never throws, never waits. The object must have its `kind` and `apiVersion`. */
  event(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string, details?: EventDetails): void;
  /** The same, from another source component (and host, for node agents). */
  withComponent(component: string, host?: string): EventRecorder;
}
