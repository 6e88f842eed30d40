import type { Draft } from '../../api/draft.js';
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../../api/meta/object.js';
import type { UserInfo } from '../authn/authenticator.js';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A second round of mutating admission. */
export interface Reinvocation {
  /** The object was changed in a way that the plugins before may want to see. */
  readonly wanted: boolean;
  /** The second round is on; there is no third one. */
  running: boolean;
}

export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** May be empty on create with a generateName. */
  readonly name: string;
  /** The new state (hub version), writable in `admit`; absent on delete. On CONNECT the options object. */
  readonly object: Draft<KubeObject> | undefined;
  /** The stored state; absent on create. */
  readonly oldObject: KubeObject | undefined;
  /** CreateOptions, UpdateOptions, DeleteOptions … as sent. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** Aborts when the client went away. */
  signal?(): AbortSignal;
  /** Set by a plugin after whose changes the others may want to run again. */
  reinvocation?: Reinvocation;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
}

/**
 * One admission plugin. `admit` may change the object and runs before validation; `validate` may only refuse. Both
 * refuse by throwing a `StatusError` (usually `forbiddenError`). Plugins run in the order of upstream's chain.
 */
export interface AdmissionPlugin {
  readonly name: string;
  handles(operation: AdmissionOperation): boolean;
  admit?(attributes: AdmissionAttributes): void | Promise<void>;
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}
