import type { Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import type {
  Compare, GetResult, KeyValue, RangeOptions, RangeResult, Revision, StoreEvent, StoreWatch, StoreWatchOptions, WriteOperation,
} from '../store.js';
import { makeEntry, type Change, type Entry, type PlannedTransaction } from './entry.js';
import { Expiry } from './expiry.js';
import { History } from './history.js';
import { KeyOrder } from './order.js';
import { Watcher } from './watchers.js';

/** Bounds of the changes kept for watches that start in the past. */
export interface EngineOptions {
  /** Revisions kept; default 10,000. */
  readonly historySteps?: number;
  /** Bytes of values kept; default 16 MiB. */
  readonly historyBytes?: number;
}

/** What comparing and planning a transaction came to. */
export type Plan =
  | { readonly succeeded: true; readonly transaction: PlannedTransaction }
  | { readonly succeeded: false; readonly current: readonly (KeyValue | undefined)[]; /** The answer rests on writes that are not committed yet. */ readonly tentative: boolean };

/**
 * The state that the embedded stores share: newest values, order, history, watches, expiry. It is
 * synchronous and knows no disk. A transaction is first planned (compared with the committed state plus all planned
 * transactions, and given a revision), then applied in the order of planning once it is durable.
 */
export class Engine {
  private entries = new Map<string, Entry>();
  private order = new KeyOrder();
  private history: History;
  private readonly planned = new Map<string, { readonly entry: Entry | undefined; readonly revision: Revision }>();
  private readonly watchers = new Set<Watcher>();
  private readonly expiry: Expiry;
  private committed: Revision;
  private newest: Revision;

  constructor(
    private readonly clock: Clock,
    options: EngineOptions,
    start: { readonly revision: Revision; readonly entries: readonly Entry[] },
    /** Called when keys are due; deletes them by an ordinary transaction. */
    onExpired: (keys: readonly KeyValue[]) => void,
  ) {
    this.committed = start.revision;
    this.newest = start.revision;
    this.history = new History(start.revision, options.historySteps ?? 10_000, options.historyBytes ?? 16 << 20);
    this.expiry = new Expiry(clock, (keys) => onExpired(keys.flatMap((key) => this.entries.get(key) ?? [])));
    for (const entry of start.entries) this.store(entry);
  }

  /** Revision of the newest committed transaction. */
  get revision(): Revision {
    return this.committed;
  }

  /** Number of keys. */
  get size(): number {
    return this.entries.size;
  }

  get(key: string): GetResult {
    return { kv: this.entries.get(key), revision: this.committed };
  }

  /** @see ExpiryReader */
  expiring({ start, end }: { readonly start: string; readonly end: string }): ReadonlyMap<string, number> {
    const left = new Map<string, number>();
    for (const key of this.order.range(start, end, 0)) {
      const { expiresAt } = this.entries.get(key)!;
      if (expiresAt > 0) left.set(key, Math.max(1, Math.ceil((expiresAt - this.clock.now()) / 1000)));
    }
    return left;
  }

  range(options: RangeOptions): RangeResult {
    const limit = options.limit ?? 0;
    const keys = this.order.range(options.start, options.end, limit > 0 ? limit + 1 : 0);
    const more = limit > 0 && keys.length > limit;
    if (more) keys.pop();
    return { kvs: keys.map((key) => this.entries.get(key)!), more, revision: this.committed };
  }

  plan(compare: readonly Compare[], writes: readonly WriteOperation[]): Plan {
    let holds = true;
    let tentative = false;
    const current = compare.map(({ key, modRevision }) => {
      const pending = this.planned.get(key);
      if (pending) tentative = true;
      const entry = pending ? pending.entry : this.entries.get(key);
      if ((entry?.modRevision ?? 0) !== modRevision) holds = false;
      return entry;
    });
    if (!holds) return { succeeded: false, current, tentative };
    if (writes.length > 1 && new Set(writes.map((write) => write.key)).size !== writes.length) throw new TypeError('a transaction must write a key only once');

    const revision = this.newest + 1;
    const changes: Change[] = [];
    for (const write of writes) {
      const pending = this.planned.get(write.key);
      const previous = pending ? pending.entry : this.entries.get(write.key);
      if (write.type === 'put') {
        const expiresAt = write.ttlSeconds ? Math.ceil(this.clock.now() + write.ttlSeconds * 1000) : 0;
        const next = makeEntry(write.key, write.value, previous?.createRevision ?? revision, revision, expiresAt);
        changes.push({ key: write.key, next, previous });
      } else if (previous) {
        changes.push({ key: write.key, next: undefined, previous });
      }
    }
    // Nothing to do takes no revision, as in etcd.
    if (changes.length === 0) return { succeeded: true, transaction: { revision: this.newest, changes } };
    this.newest = revision;
    for (const change of changes) this.planned.set(change.key, { entry: change.next, revision });
    return { succeeded: true, transaction: { revision, changes } };
  }

  /** Makes planned transactions visible, in order, and tells the watchers once for all of them. */
  apply(transactions: readonly PlannedTransaction[]): void {
    const all: StoreEvent[] = [];
    for (const { revision, changes } of transactions) {
      if (changes.length === 0) continue;
      const events = changes.map((change) => this.applyChange(change, revision));
      this.history.add(revision, events);
      this.committed = revision;
      for (const event of events) all.push(event);
    }
    if (all.length > 0) for (const watcher of this.watchers) watcher.send(all, this.committed);
  }

  /** Drops every planned transaction that was not applied. Their revisions are given again only if they never became durable. */
  forgetPlanned(): void {
    this.planned.clear();
    this.newest = this.committed;
  }

  watch(options: StoreWatchOptions): StoreWatch {
    if (options.fromRevision <= this.history.compacted && options.fromRevision <= this.committed) {
      throw new KubeError('KUBE_STORE_COMPACTED', `revision ${options.fromRevision} has been compacted: the oldest one to watch from is ${this.history.compacted + 1}`);
    }
    const watcher = new Watcher(options);
    watcher.send(this.history.since(options.fromRevision), this.committed);
    this.watchers.add(watcher);
    return {
      close: () => {
        watcher.open = false;
        this.watchers.delete(watcher);
      },
    };
  }

  compact(revision: Revision): void {
    this.history.compact(Math.min(revision - 1, this.committed));
  }

  /** Ends every watch and timer. */
  close(error: Error): void {
    this.expiry.stop();
    for (const watcher of [...this.watchers]) watcher.end(error);
    this.watchers.clear();
  }

  private applyChange(change: Change, revision: Revision): StoreEvent {
    const { key, next, previous } = change;
    if (next) this.store(next);
    else {
      this.entries.delete(key);
      this.order.remove(key);
      this.expiry.clear(key);
    }
    if (this.planned.get(key)?.revision === revision) this.planned.delete(key);
    return {
      type: next ? 'put' : 'delete',
      key,
      value: (next ?? previous)!.value,
      previous,
      createRevision: (next ?? previous)!.createRevision,
      revision,
    };
  }

  private store(entry: Entry): void {
    if (!this.entries.has(entry.key)) this.order.add(entry.key);
    this.entries.set(entry.key, entry);
    if (entry.expiresAt > 0) this.expiry.set(entry.key, entry.expiresAt);
    else this.expiry.clear(entry.key);
  }
}
