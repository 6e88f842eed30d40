import { sleep, type Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import type { Compare, KeyValue, Revision, TransactionResult, WriteOperation } from '../store.js';
import { EtcdCallError, GRPC, storeErrorOf } from './call-error.js';
import { RPC, type EtcdConnection } from './connection.js';
import { keyValueOf } from './etcd-watch.js';
import type { Layout } from './layout.js';
import type { Leases } from './leases.js';
import { decodeTransaction, encodeTransaction, type TxnOperation, type TxnRequest, type TxnResponse } from './messages.js';

/** For one write. etcd itself gives up after 7 s. */
const WRITE_MILLISECONDS = 8_000;
/** How long it is tried to find out whether a write has happened. */
const UNKNOWN_MILLISECONDS = 2_500;
const PAUSE_MILLISECONDS = 100;
const TOUCH = Buffer.from('1');

/** What a transaction needs of its store. */
export interface TransactionEnvironment {
  readonly connection: EtcdConnection;
  readonly layout: Layout;
  readonly leases: Leases;
  readonly clock: Clock;
}

/**
 * One transaction. When the connection breaks under it, it is sent again if that is safe: when a comparison holds only as long as it
 * has not happened. Then a comparison that fails at last may be due to the first attempt, which the values show.
 */
export async function runTransaction(environment: TransactionEnvironment, compare: readonly Compare[], writes: readonly WriteOperation[]): Promise<TransactionResult> {
  const { connection, layout, clock, leases } = environment;
  if (writes.length > 1 && new Set(writes.map(({ key }) => key)).size !== writes.length) throw new TypeError('a transaction must write a key only once');
  const guarded = isGuarded(compare, writes);
  const began = clock.monotonic();
  let end = began + WRITE_MILLISECONDS;
  let unknown: EtcdCallError | undefined;
  let leaseLost = false;
  for (;;) {
    let lease: readonly bigint[];
    try {
      lease = await Promise.all(writes.map((write) => (write.type === 'put' && write.ttlSeconds ? leases.take(write.ttlSeconds) : 0n)));
    } catch (error) {
      throw unknown ? outcomeUnknown(unknown) : storeErrorOf(error);
    }
    try {
      const left = end - clock.monotonic();
      const request = encodeTransaction(requestOf(layout, compare, writes, lease));
      const response = await connection.call(RPC.transaction, request, decodeTransaction, { repeatable: false, milliseconds: Math.max(1, guarded && connection.size > 1 && !unknown ? left / 2 : left) });
      const result = resultOf(compare, response);
      if (!unknown || result.succeeded) return result;
      const happened = happenedBefore(compare, writes, result);
      if (happened !== undefined) return { succeeded: true, revision: happened, current: [] };
      throw outcomeUnknown(unknown);
    } catch (error) {
      if (!(error instanceof EtcdCallError)) throw error;
      if (error.status === GRPC.notFound && /lease not found/.test(error.details) && !leaseLost) {
        leaseLost = true;
        for (const write of writes) if (write.type === 'put' && write.ttlSeconds) leases.forget(write.ttlSeconds);
        continue;
      }
      if (error.isUnknown && !unknown) {
        unknown = error;
        end = Math.min(end, Math.max(clock.monotonic() + UNKNOWN_MILLISECONDS, began));
      } else if (!unknown || !error.isTransient) throw unknown ? outcomeUnknown(unknown) : storeErrorOf(error);
      if (!guarded || clock.monotonic() + PAUSE_MILLISECONDS >= end) throw outcomeUnknown(unknown);
      await sleep(clock, PAUSE_MILLISECONDS);
    }
  }
}

function outcomeUnknown(error: EtcdCallError): KubeError {
  return new KubeError('KUBE_STORE_OUTCOME_UNKNOWN', `the write may or may not have happened: etcd at ${error.endpoint}: ${error.details}`, { cause: error });
}

/** It cannot happen twice: a key that it compares is one that it changes. */
function isGuarded(compare: readonly Compare[], writes: readonly WriteOperation[]): boolean {
  return compare.some(({ key, modRevision }) => writes.some((write) => write.key === key && (write.type === 'put' || modRevision > 0)));
}

/** The revision at which the very same writes were made before, if what is there shows it. */
function happenedBefore(compare: readonly Compare[], writes: readonly WriteOperation[], { current, revision }: TransactionResult): Revision | undefined {
  let at: Revision | undefined;
  for (const [i, { key, modRevision }] of compare.entries()) {
    const write = writes.find((candidate) => candidate.key === key);
    if (!write) continue;
    const kv = current[i];
    if (write.type === 'delete') {
      if (kv) return undefined;
      at ??= revision;
    } else {
      if (!kv || kv.modRevision === modRevision || !kv.value.equals(write.value)) return undefined;
      at = kv.modRevision;
    }
  }
  return at;
}

function requestOf(layout: Layout, compare: readonly Compare[], writes: readonly WriteOperation[], leases: readonly bigint[]): TxnRequest {
  const touch: TxnOperation = { type: 'put', key: layout.revision, value: TOUCH };
  const look: TxnOperation = { type: 'range', key: layout.revision };
  const operations = writes.map((write, i): TxnOperation => {
    const key = layout.key(write.key);
    return write.type === 'put' ? { type: 'put', key, value: write.value, lease: leases[i]! } : { type: 'delete', key };
  });
  const conditions = compare.map(({ key, modRevision }) => ({ key: layout.key(key), target: 'mod' as const, equals: modRevision }));
  const failure = [...compare.map(({ key }): TxnOperation => ({ type: 'range', key: layout.key(key) })), look];
  return { compare: conditions, success: changesSomething(compare, writes) ? [...operations, touch] : [ifAnyExists(layout, writes, [...operations, touch], look)], failure };
}

function changesSomething(compare: readonly Compare[], writes: readonly WriteOperation[]): boolean {
  return writes.some((write) => write.type === 'put' || compare.some(({ key, modRevision }) => key === write.key && modRevision > 0));
}

/** Deletions of keys that may not be there must not take a revision when none is. */
function ifAnyExists(layout: Layout, writes: readonly WriteOperation[], then: readonly TxnOperation[], otherwise: TxnOperation): TxnOperation {
  if (writes.length === 0) return otherwise;
  const absent = writes.map(({ key }) => ({ key: layout.key(key), target: 'create' as const, equals: 0 }));
  return { type: 'transaction', transaction: { compare: absent, success: [otherwise], failure: then } };
}

function resultOf(compare: readonly Compare[], response: TxnResponse): TransactionResult {
  const { succeeded, responses, header } = response;
  if (succeeded) {
    const nested = responses[0]?.transaction;
    const looked = nested ? (nested.succeeded ? nested.responses[0]?.range : undefined) : responses[0]?.range;
    return { succeeded, revision: looked ? (looked.kvs[0]?.modRevision ?? 0) : header.revision, current: [] };
  }
  const current = compare.map(({ key }, i): KeyValue | undefined => {
    const kv = responses[i]?.range?.kvs[0];
    return kv && keyValueOf(key, kv);
  });
  return { succeeded, revision: responses[compare.length]?.range?.kvs[0]?.modRevision ?? 0, current };
}
