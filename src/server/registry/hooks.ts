import type { Draft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { Compare, WriteOperation } from '../../storage/index.js';
import type { UserInfo } from '../authn/authenticator.js';

/** What a hook may add to the transaction that writes the object. */
export interface CommitExtras {
  readonly compare?: readonly Compare[];
  readonly writes?: readonly WriteOperation[];
  /**
   * Called when the transaction failed because one of the extra comparisons did not hold; the write is then tried again
   * from the start (the hook runs again), up to a limit.
   */
  readonly retryOnConflict?: boolean;
  /** Called once, when it is known whether the transaction was committed. */
  readonly done?: (committed: boolean) => void;
}

export interface CommitContext {
  readonly dryRun: boolean;
  readonly user: UserInfo;
}

/**
 * State that lives beside an object: cluster IPs and node ports of services, for instance. Registered per
 * resource in `registry/<group>/<kind>.ts`; everything else goes through the generic registry alone.
 */
export interface RegistryHook<T extends KubeObject = KubeObject> {
  /** After mutating admission and preparation, before validation: may fill in allocated values. */
  beforeCreate?(draft: Draft<T>, context: CommitContext): Promise<CommitExtras> | CommitExtras;
  beforeUpdate?(draft: Draft<T>, old: T, context: CommitContext): Promise<CommitExtras> | CommitExtras;
  /** Before the object is removed from the store for good. */
  beforeDelete?(object: T, context: CommitContext): Promise<CommitExtras> | CommitExtras;
}
