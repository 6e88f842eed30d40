import type { Draft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { UserInfo } from '../authn/authenticator.js';

/** What the registry must know about a write, whatever the verb. */
export interface WriteRequest {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** Empty on create with a generateName. */
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The `apiVersion` that was asked with, for kinds whose rules depend on it (Events). */
  readonly apiVersion?: string;
  /** The object is large: others get their turn between the steps of the write. It may become so while the wanted state is made. */
  readonly large?: boolean;
  warn(text: string): void;
}

export interface CreateRequest extends WriteRequest {
  /** After mutating admission; the registry completes and changes it. */
  readonly draft: Draft<KubeObject>;
  /** Validating admission; refuses by throwing. */
  validate(object: KubeObject): void | Promise<void>;
}

export interface UpdateRequest extends WriteRequest {
  /** Empty for the object itself, else the subresource that is written. */
  readonly subresource: string;
  /** An absent object is created whatever its kind says (server-side apply); subresources are not. */
  readonly creates?: boolean;
  /** When given, the stored object must have this UID. */
  readonly uid?: string | undefined;
  /**
   * The wanted state, from the stored one (undefined when the object does not exist and the kind may be created by an update);
   * mutating admission included. Called again when somebody else was faster. `large`: the stored one or the request is.
   */
  wanted(old: KubeObject | undefined, large: boolean): Draft<KubeObject> | Promise<Draft<KubeObject>>;
  validateCreate(object: KubeObject): void | Promise<void>;
  validateUpdate(object: KubeObject, old: KubeObject): void | Promise<void>;
}

/** `DeleteOptions`, decoded and checked. */
export interface DeleteOptionsValues {
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteRequest extends WriteRequest {
  readonly options: DeleteOptionsValues;
  /** Admission of the deletion. */
  validate(old: KubeObject): void | Promise<void>;
}
