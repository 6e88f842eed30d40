import type { Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import { Engine, type EngineOptions } from '../engine/engine.js';
import type {
  Compare, ExpiryReader, GetResult, RangeOptions, RangeResult, Revision, Store, StoreCapabilities, StoreWatch, StoreWatchOptions, TransactionResult, WriteOperation,
} from '../store.js';

/** A store that forgets everything when it is closed: for tests and throw-away clusters. */
export class MemoryStore implements Store, ExpiryReader {
  readonly capabilities: StoreCapabilities = { durable: false, ttl: true, shared: false };
  private readonly engine: Engine;
  private closed = false;

  constructor(clock: Clock, options: EngineOptions = {}) {
    this.engine = new Engine(clock, options, { revision: 0, entries: [] }, (due) => {
      for (const { key, modRevision } of due) void this.transact([{ key, modRevision }], [{ type: 'delete', key }]);
    });
  }

  async currentRevision(): Promise<Revision> {
    this.check();
    return this.engine.revision;
  }

  async get(key: string): Promise<GetResult> {
    this.check();
    return this.engine.get(key);
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    this.check();
    return this.engine.range(options);
  }

  async expiring(range: { readonly start: string; readonly end: string }): Promise<ReadonlyMap<string, number>> {
    this.check();
    return this.engine.expiring(range);
  }

  async transact(compare: readonly Compare[], writes: readonly WriteOperation[]): Promise<TransactionResult> {
    this.check();
    const plan = this.engine.plan(compare, writes);
    if (!plan.succeeded) return { succeeded: false, revision: this.engine.revision, current: plan.current };
    this.engine.apply([plan.transaction]);
    return { succeeded: true, revision: plan.transaction.revision, current: [] };
  }

  async watch(options: StoreWatchOptions): Promise<StoreWatch> {
    this.check();
    return this.engine.watch(options);
  }

  async compact(revision: Revision): Promise<void> {
    this.check();
    this.engine.compact(revision);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.engine.close(closedError());
  }

  private check(): void {
    if (this.closed) throw closedError();
  }
}

function closedError(): KubeError {
  return new KubeError('KUBE_STORE_CLOSED', 'the store is closed');
}
