import { errorMessage, KubeError } from '../../base/errors.js';
import { silentLogger, type Logger } from '../../base/log.js';
import type {
  CompactionTurn, Compare, ExpiryReader, GetResult, KeyValue, RangeOptions, RangeResult, Revision, SharedCompaction, Store, StoreCapabilities, StoreWatch, StoreWatchOptions, TransactionResult, WriteOperation,
} from '../store.js';
import { EtcdCallError, storeErrorOf } from './call-error.js';
import { compactInTurn } from './compaction.js';
import { EtcdConnection, READ_MILLISECONDS, RPC } from './connection.js';
import { EtcdWatch, keyValueOf } from './etcd-watch.js';
import { Layout } from './layout.js';
import { Leases } from './leases.js';
import { claimPrefix } from './marker.js';
import { decodeHeaderOnly, decodeLease, encodeCompaction, encodeLeaseTimeToLive, encodeRange } from './messages.js';
import { migratePrefix } from './migrate.js';
import type { EtcdOptions } from './options.js';
import { checkIdentities, Presence } from './presence.js';
import { pages, readAll, readRange, readRangeOf } from './reads.js';
import { runTransaction } from './transaction.js';

/**
 * A store in an etcd (3.4 or newer), which several servers may share. Values go into etcd as they are, under a prefix; revisions are etcd's.
 * `currentRevision` is the newest revision under the prefix that a server wrote: see {@link Layout.revision}.
 */
export class EtcdStore implements Store, SharedCompaction, ExpiryReader {
  readonly capabilities: StoreCapabilities = { durable: true, ttl: true, shared: true };
  private readonly layout: Layout;
  private readonly leases: Leases;
  private readonly log: Logger;
  private readonly watches = new Set<EtcdWatch>();
  /** Values that are being written, by etcd's key. */
  private readonly writing = new Map<string, Set<Buffer>>();
  private reading: Promise<Revision> | undefined;
  private next: Promise<Revision> | undefined;
  private readonly pending = new Set<Promise<unknown>>();
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly connection: EtcdConnection,
    private readonly options: EtcdOptions,
    private readonly presence: Presence,
  ) {
    this.layout = new Layout(options.prefix);
    this.leases = new Leases(connection, options.clock);
    this.log = options.log ?? silentLogger;
  }

  /**
   * Connects, and claims the prefix. Throws `KUBE_STORE_UNAVAILABLE` (not reached in time, or TLS does not fit), `KUBE_STORE_DENIED`
   * (user, password, permissions), `KUBE_STORE_FORMAT` (other clusters, foreign data, a copy that was not finished), `KUBE_STORE_IDENTITY`.
   */
  static async open(options: EtcdOptions): Promise<EtcdStore> {
    const layout = new Layout(options.prefix);
    const connection = new EtcdConnection(options);
    const { clock, log = silentLogger } = options;
    let presence: Presence | undefined;
    try {
      await connection.connect();
      if (options.migrateFrom !== undefined) await migratePrefix(connection, new Layout(options.migrateFrom), layout, log);
      presence = await Presence.announce({ connection, layout, clock, log, identity: options.identity });
      if (options.identity !== undefined) await checkIdentities(connection, layout, options.identity);
      await claimPrefix(connection, layout);
    } catch (error) {
      await presence?.leave();
      connection.close();
      throw storeErrorOf(error);
    }
    return new EtcdStore(connection, options, presence);
  }

  /**
   * Readers that come while one read is under way share the next one: the one under way may have looked too early for them. What they
   * have waited by then counts: an etcd that does not answer is told of after the time of one read.
   */
  currentRevision(): Promise<Revision> {
    if (!this.reading) return this.beginReading(READ_MILLISECONDS);
    if (this.next) return this.next;
    const { clock } = this.options;
    const end = clock.monotonic() + READ_MILLISECONDS;
    return (this.next = this.reading.then(
      () => this.beginReading(end - clock.monotonic()),
      (error: unknown) => {
        const left = end - clock.monotonic();
        if (left > READ_MILLISECONDS / 2) return this.beginReading(left);
        this.next = undefined;
        throw error;
      },
    ));
  }

  async get(key: string): Promise<GetResult> {
    const { range, revision } = await readRangeOf(this.opened(), this.layout, { key: this.layout.key(key) });
    return { kv: range.kvs[0] && keyValueOf(key, range.kvs[0]), revision };
  }

  async range({ start, end, limit = 0 }: RangeOptions): Promise<RangeResult> {
    const [from, to] = [this.layout.key(start), this.layout.key(end)];
    if (limit > 0) {
      const { range, revision } = await readRangeOf(this.opened(), this.layout, { key: from, end: to, limit });
      return { kvs: this.keyValues(range.kvs), more: range.more, revision };
    }
    const { kvs, revision } = await readAll(this.opened(), this.layout, from, to);
    return { kvs: this.keyValues(kvs), more: false, revision };
  }

  async transact(compare: readonly Compare[], writes: readonly WriteOperation[]): Promise<TransactionResult> {
    const work = this.transactNow(compare, writes);
    this.pending.add(work);
    try {
      return await work;
    } finally {
      this.pending.delete(work);
    }
  }

  async watch(options: StoreWatchOptions): Promise<StoreWatch> {
    const connection = this.opened();
    await this.checkHistory(options.fromRevision);
    const watch = new EtcdWatch(options, connection, this.layout, this.options.clock, this.log, (key, value) => this.ownBytes(key, value), (closed) => this.watches.delete(closed));
    this.watches.add(watch);
    try {
      await watch.start();
      // As with the other stores, what has happened already is handed over first.
      await watch.reach(await this.currentRevision());
    } catch (error) {
      watch.close();
      throw storeErrorOf(error);
    }
    return watch;
  }

  async compact(revision: Revision): Promise<void> {
    try {
      await this.opened().call(RPC.compact, encodeCompaction(revision), decodeHeaderOnly, { repeatable: true });
    } catch (error) {
      // Somebody else was faster.
      if (error instanceof EtcdCallError && /has been compacted/.test(error.details)) return;
      throw storeErrorOf(error);
    }
  }

  compactInTurn(turn: CompactionTurn): Promise<CompactionTurn> {
    return compactInTurn(this.opened(), turn, (revision) => this.compact(revision));
  }

  async expiring({ start, end }: { readonly start: string; readonly end: string }): Promise<ReadonlyMap<string, number>> {
    const connection = this.opened();
    const leases = new Map<bigint, number>();
    const left = new Map<string, number>();
    try {
      for await (const { kvs } of pages(connection, { key: this.layout.key(start), end: this.layout.key(end), keysOnly: true })) {
        for (const { key, lease } of kvs) {
          const name = this.layout.storeKey(key);
          if (lease === 0n || name === undefined) continue;
          if (!leases.has(lease)) leases.set(lease, (await connection.call(RPC.leaseTimeToLive, encodeLeaseTimeToLive(lease), decodeLease, { repeatable: true })).ttlSeconds);
          left.set(name, Math.max(1, leases.get(lease)!));
        }
      }
    } catch (error) {
      throw storeErrorOf(error);
    }
    return left;
  }

  async close(): Promise<void> {
    this.closing ??= this.shutDown();
    await this.closing;
  }

  private async shutDown(): Promise<void> {
    await Promise.allSettled(this.pending);
    for (const watch of [...this.watches]) watch.end(closedError());
    await this.presence.leave();
    this.connection.close();
  }

  private opened(): EtcdConnection {
    if (this.closing) throw closedError();
    return this.connection;
  }

  private beginReading(milliseconds: number): Promise<Revision> {
    const reading = this.readRevision(milliseconds).finally(() => {
      if (this.reading === reading) this.reading = undefined;
    });
    this.next = undefined;
    this.reading = reading;
    return reading;
  }

  private async readRevision(milliseconds: number): Promise<Revision> {
    const { kvs } = await readRange(this.opened(), { key: this.layout.revision }, milliseconds);
    const revision = kvs[0]?.modRevision ?? 0;
    for (const watch of this.watches) watch.expect(revision);
    return revision;
  }

  private async transactNow(compare: readonly Compare[], writes: readonly WriteOperation[]): Promise<TransactionResult> {
    const connection = this.opened();
    this.remember(writes);
    try {
      const result = await runTransaction({ connection, layout: this.layout, leases: this.leases, clock: this.options.clock }, compare, writes);
      // Also after a comparison that failed: whoever tries again finds what made it fail.
      for (const watch of this.watches) await watch.reach(result.revision);
      return result;
    } finally {
      this.forget(writes);
    }
  }

  private remember(writes: readonly WriteOperation[]): void {
    for (const write of writes) {
      if (write.type !== 'put') continue;
      const key = this.layout.key(write.key);
      const values = this.writing.get(key);
      if (values) values.add(write.value);
      else this.writing.set(key, new Set([write.value]));
    }
  }

  private forget(writes: readonly WriteOperation[]): void {
    for (const write of writes) {
      if (write.type !== 'put') continue;
      const key = this.layout.key(write.key);
      const values = this.writing.get(key);
      values?.delete(write.value);
      if (values?.size === 0) this.writing.delete(key);
    }
  }

  /** What comes back from etcd as the very buffer that was written, of which others may know what it says. */
  private ownBytes(key: string, value: Buffer): Buffer {
    for (const written of this.writing.get(key) ?? []) if (written.equals(value)) return written;
    return value;
  }

  /** A watch from a revision that is gone is confirmed by etcd before it is canceled: better to ask first. */
  private async checkHistory(revision: Revision): Promise<void> {
    try {
      await this.connection.call(RPC.range, encodeRange({ key: this.layout.revision, revision, countOnly: true }), decodeHeaderOnly, { repeatable: true });
    } catch (error) {
      if (error instanceof EtcdCallError && /future revision/.test(error.details)) return;
      const known = storeErrorOf(error);
      throw known instanceof KubeError && known.code === 'KUBE_STORE_COMPACTED' ? new KubeError('KUBE_STORE_COMPACTED', `revision ${revision} has been compacted: ${errorMessage(error)}`) : known;
    }
  }

  private keyValues(kvs: readonly Parameters<typeof keyValueOf>[1][]): KeyValue[] {
    const values: KeyValue[] = [];
    for (const kv of kvs) {
      const key = this.layout.storeKey(kv.key);
      if (key !== undefined) values.push(keyValueOf(key, kv));
    }
    return values;
  }
}

function closedError(): KubeError {
  return new KubeError('KUBE_STORE_CLOSED', 'the store is closed');
}
