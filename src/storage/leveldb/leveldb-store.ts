import { dirname } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { Clock } from '../../base/clock.js';
import { errorMessage, KubeError } from '../../base/errors.js';
import { noFailpoints, type Failpoints } from '../../base/failpoint.js';
import { silentLogger, type Logger } from '../../base/log.js';
import { Engine, type EngineOptions } from '../engine/engine.js';
import type { PlannedTransaction } from '../engine/entry.js';
import type {
  Compare, ExpiryReader, GetResult, RangeOptions, RangeResult, Revision, Store, StoreCapabilities, StoreWatch, StoreWatchOptions, TransactionResult, WriteOperation,
} from '../store.js';
import { AcknowledgedFile } from './acknowledged.js';
import { Database, isFull } from './database.js';
import { nextTurn } from '../../base/steps.js';

/** What a LevelDB store needs beside its folder. */
export interface LevelDbOptions extends EngineOptions {
  readonly clock: Clock;
  readonly log?: Logger;
  readonly failpoints?: Failpoints;
}

interface Waiting {
  readonly transaction: PlannedTransaction;
  readonly resolve: (result: TransactionResult) => void;
  readonly reject: (error: Error) => void;
}

/** Transactions in one batch at most; more wait for the next. */
const BATCH_LIMIT = 2000;
const REOPEN_MILLISECONDS = 1000;

/**
 * The embedded store: all values in memory, every transaction in LevelDB before it is acknowledged. One
 * writer collects what came while the last batch was synced (group commit). When a write fails, its outcome is
 * unknown: the database is closed, opened and read again before anything else is written.
 */
export class LevelDbStore implements Store, ExpiryReader {
  readonly capabilities: StoreCapabilities = { durable: true, ttl: true, shared: false };
  private queue: Waiting[] = [];
  private flushing: Promise<void> | undefined;
  /** Settled whenever no transaction is planned and unwritten; failed comparisons that rest on planned ones wait for it. */
  private broken: KubeError | undefined;
  private closing: Promise<void> | undefined;
  private cancelReopen: (() => void) | undefined;

  private constructor(
    private readonly path: string,
    private readonly options: LevelDbOptions,
    private database: Database,
    private readonly acknowledged: AcknowledgedFile,
    private readonly log: Logger,
    private readonly failpoints: Failpoints,
    private readonly engine: Engine,
  ) {}

  /** Opens or creates the store in folder `path`. Throws as {@link Database.open} does. */
  static async open(path: string, options: LevelDbOptions): Promise<LevelDbStore> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const database = await Database.open(path);
    let acknowledged: AcknowledgedFile | undefined;
    try {
      acknowledged = await AcknowledgedFile.open(`${path}.acknowledged`, options.clock);
      const told = await acknowledged.read();
      if (told > database.revision) {
        throw new KubeError('KUBE_STORE_DAMAGED', `the database in ${path} ends at revision ${database.revision}, but ${told} was acknowledged: its newest records are lost or damaged. Restore it from a copy, or remove ${path}.acknowledged to go on without them`);
      }
    } catch (error) {
      await acknowledged?.close();
      await database.close();
      throw error;
    }
    const state = { revision: database.revision, entries: database.entries };
    const holder: { store?: LevelDbStore } = {};
    const engine = new Engine(options.clock, options, state, (due) => {
      for (const { key, modRevision } of due) {
        holder.store?.transact([{ key, modRevision }], [{ type: 'delete', key }]).catch(() => undefined);
      }
    });
    const log = options.log ?? silentLogger;
    holder.store = new LevelDbStore(path, options, database, acknowledged, log, options.failpoints ?? noFailpoints, engine);
    return holder.store;
  }

  async currentRevision(): Promise<Revision> {
    this.checkOpen();
    return this.engine.revision;
  }

  async get(key: string): Promise<GetResult> {
    this.checkOpen();
    return this.engine.get(key);
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    this.checkOpen();
    return this.engine.range(options);
  }

  async expiring(range: { readonly start: string; readonly end: string }): Promise<ReadonlyMap<string, number>> {
    this.checkOpen();
    return this.engine.expiring(range);
  }

  async transact(compare: readonly Compare[], writes: readonly WriteOperation[]): Promise<TransactionResult> {
    this.checkOpen();
    if (this.broken) throw this.broken;
    const plan = this.engine.plan(compare, writes);
    if (!plan.succeeded) {
      if (plan.tentative) await this.settled();
      return { succeeded: false, revision: this.engine.revision, current: plan.current };
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ transaction: plan.transaction, resolve, reject });
      this.flushing ??= this.flush();
    });
  }

  async watch(options: StoreWatchOptions): Promise<StoreWatch> {
    this.checkOpen();
    return this.engine.watch(options);
  }

  async compact(revision: Revision): Promise<void> {
    this.checkOpen();
    this.engine.compact(revision);
  }

  async close(): Promise<void> {
    this.closing ??= this.shutDown();
    await this.closing;
  }

  private async shutDown(): Promise<void> {
    await this.settled().catch(() => undefined);
    this.cancelReopen?.();
    this.engine.close(closedError());
    await this.acknowledged.close();
    await this.database.close().catch(() => undefined);
  }

  private checkOpen(): void {
    if (this.closing) throw closedError();
  }

  /** Resolves when nothing is planned any more; rejects when writing failed meanwhile. */
  private async settled(): Promise<void> {
    while (this.flushing) await this.flushing;
    if (this.broken) throw this.broken;
  }

  private async flush(): Promise<void> {
    // Requests of the same turn of the event loop join the first batch.
    await nextTurn();
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, BATCH_LIMIT);
      try {
        await this.failpoints.hit('store-before-commit');
        const transactions = batch.map((waiting) => waiting.transaction);
        await this.database.write(transactions);
        await this.failpoints.hit('store-after-commit');
        this.engine.apply(transactions);
        this.acknowledged.record(this.engine.revision);
        for (const { transaction, resolve } of batch) resolve({ succeeded: true, revision: transaction.revision, current: [] });
      } catch (error) {
        await this.fail(batch, error);
      }
    }
    this.flushing = undefined;
  }

  private async fail(batch: readonly Waiting[], error: unknown): Promise<void> {
    const full = isFull(error);
    const reason = full ? `no space left on the disk of ${this.path}` : errorMessage(error);
    this.log.error('a write to the database failed', { path: this.path, reason });
    this.broken = full
      ? new KubeError('KUBE_STORE_FULL', `${reason}: nothing was written; free some space`)
      : new KubeError('KUBE_STORE_UNAVAILABLE', `the database is being opened again after a failed write: ${reason}`);
    const later = this.queue.splice(0);
    // What was planned on top of the failed batch was never sent to the disk.
    for (const { reject } of later) reject(this.broken);
    await this.database.close().catch(() => undefined);
    await this.reopen(batch, reason);
  }

  private async reopen(batch: readonly Waiting[], reason: string): Promise<void> {
    const unknown = new KubeError('KUBE_STORE_OUTCOME_UNKNOWN', `the write may or may not have happened: ${reason}`);
    try {
      this.database = await Database.open(this.path);
    } catch (error) {
      this.log.error('the database cannot be opened again yet', { path: this.path, reason: errorMessage(error) });
      for (const { reject } of batch) reject(unknown);
      if (!this.closing) {
        this.cancelReopen = this.options.clock.setTimeout(() => void this.reopen(batch, reason), REOPEN_MILLISECONDS, { unref: true });
      }
      return;
    }
    const transactions = batch.map((waiting) => waiting.transaction);
    const last = transactions.at(-1)!.revision;
    const happened = this.database.revision >= last;
    // The batch is one atomic write: it is there as a whole or not at all.
    if (happened) this.engine.apply(transactions);
    this.engine.forgetPlanned();
    for (const { reject } of batch) reject(happened || !this.broken || this.broken.code !== 'KUBE_STORE_FULL' ? unknown : this.broken);
    this.broken = undefined;
    this.log.info('the database is open again', { path: this.path, revision: this.engine.revision });
  }
}

function closedError(): KubeError {
  return new KubeError('KUBE_STORE_CLOSED', 'the store is closed');
}
