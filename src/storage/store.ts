/** A store revision: 0 before the first write, then one more for each committed transaction. */
export type Revision = number;

/** One key with its newest value. `value` must not be changed by anyone. */
export interface KeyValue {
  readonly key: string;
  readonly value: Buffer;
  /** Revision of the transaction that created the key (after its last deletion). */
  readonly createRevision: Revision;
  /** Revision of the transaction that last wrote the key. */
  readonly modRevision: Revision;
}

export interface GetResult {
  readonly kv: KeyValue | undefined;
  /** Revision of the store at the time of the read. */
  readonly revision: Revision;
}

export interface RangeOptions {
  /** Keys in [start, end), ordered by their UTF-8 bytes. */
  readonly start: string;
  readonly end: string;
  /** At most this many; 0 or absent: all. */
  readonly limit?: number;
}

export interface RangeResult {
  readonly kvs: readonly KeyValue[];
  /** There are more keys in the range than `limit` allowed. */
  readonly more: boolean;
  readonly revision: Revision;
}

/** Compares the newest modification revision of a key; 0 means that the key does not exist. */
export interface Compare {
  readonly key: string;
  readonly modRevision: Revision;
}

export type WriteOperation =
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer; /** Seconds until the key is deleted. */ readonly ttlSeconds?: number }
  | { readonly type: 'delete'; readonly key: string };

export interface TransactionResult {
  /** False when a comparison failed; then nothing was written. */
  readonly succeeded: boolean;
  /** When succeeded: the revision that the writes got. Otherwise the store's revision, up to which every watcher was told everything. */
  readonly revision: Revision;
  /** When not succeeded: what the compared keys hold now, in the order of `compare`. */
  readonly current: readonly (KeyValue | undefined)[];
}

export interface StoreEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** The value written; for a delete the value before it. */
  readonly value: Buffer;
  /** Value before the change, absent when the key was new. */
  readonly previous: KeyValue | undefined;
  readonly createRevision: Revision;
  /** Revision of the transaction that made the change. */
  readonly revision: Revision;
}

/** Events of one or more whole transactions, in order of revision; never part of a transaction. */
export interface StoreWatchBatch {
  readonly events: readonly StoreEvent[];
  /** The watcher has seen everything up to and including this revision. */
  readonly revision: Revision;
}

export interface StoreWatch {
  /** Ends the watch; no callback is called afterwards. Idempotent. */
  close(): void;
}

export interface StoreWatchOptions {
  readonly start: string;
  readonly end: string;
  /** First revision wanted; events of earlier ones are not sent. */
  readonly fromRevision: Revision;
  /** False: `previous` of events, and the value of deletions, are not needed and may be absent. Default: true. */
  readonly previous?: boolean;
  /** Called synchronously in order; must not throw and must not block. A batch without events only tells the revision. */
  readonly onBatch: (batch: StoreWatchBatch) => void;
  /** The watch ended by itself (for instance the store was closed, or `KUBE_STORE_COMPACTED`); called at most once. */
  readonly onEnd: (error: Error) => void;
}

/** Optional abilities, named so that the contract suite and callers can ask before they use one. */
export interface StoreCapabilities {
  /** Data outlives a close and reopen. */
  readonly durable: boolean;
  /** `ttlSeconds` is honoured. */
  readonly ttl: boolean;
  /** Other processes may write to the same store. */
  readonly shared: boolean;
}

/**
 * A revisioned key-value store in etcd's terms. All implementations pass `testsuite/`.
 *
 * Errors are `KubeError` with these codes: `KUBE_STORE_CLOSED`, `KUBE_STORE_COMPACTED` (watch from a revision
 * that is gone), `KUBE_STORE_UNAVAILABLE` (nothing was written), `KUBE_STORE_OUTCOME_UNKNOWN` (a write may
 * or may not have happened), `KUBE_STORE_LOCKED`, `KUBE_STORE_FORMAT` (written by a newer program),
 * `KUBE_STORE_DAMAGED` (names the file), `KUBE_STORE_FULL` (no space left; nothing was written), `KUBE_STORE_TOO_LARGE`
 * (more than the store takes at once; nothing was written), `KUBE_STORE_DENIED` (it refuses access).
 */
export interface Store {
  readonly capabilities: StoreCapabilities;
  /** Revision of the newest committed transaction that reads return. */
  currentRevision(): Promise<Revision>;
  /** Reads are linearizable: they see every write acknowledged before the call. */
  get(key: string): Promise<GetResult>;
  range(options: RangeOptions): Promise<RangeResult>;
  /**
   * Applies `writes` atomically when all of `compare` hold. Resolved only when the writes are durable
   * (where the store is) and every watcher's `onBatch` was called; a watcher whose connection is broken is not waited for long.
   * A key may occur once in `writes`.
   */
  transact(compare: readonly Compare[], writes: readonly WriteOperation[]): Promise<TransactionResult>;
  watch(options: StoreWatchOptions): Promise<StoreWatch>;
  /** Forgets history before `revision`: watches from before it fail with `KUBE_STORE_COMPACTED`. */
  compact(revision: Revision): Promise<void>;
  /** Lets pending writes finish, then releases everything. Idempotent. */
  close(): Promise<void>;
}

/** What one server knows of the agreement on compaction; it begins with zeros. */
export interface CompactionTurn {
  /** Turns that were taken, by whomever. */
  readonly count: number;
  /** Revision of the store at the last look. */
  readonly revision: Revision;
}

/** Ability of a store that others compact as well. */
export interface SharedCompaction {
  /** Called once per interval: compacts to the revision of the last look, unless somebody else has done so since; returns what to give next time. */
  compactInTurn(turn: CompactionTurn): Promise<CompactionTurn>;
}

/** Ability of a store that honours `ttlSeconds` to say what is left of it. */
export interface ExpiryReader {
  /** The keys of a range that go away by themselves, with the seconds (at least 1) until then. */
  expiring(range: { readonly start: string; readonly end: string }): Promise<ReadonlyMap<string, number>>;
}
