import { createHash } from 'node:crypto';
import { KubeError } from '../../base/errors.js';
import type { ExpiryReader, KeyValue, Revision, Store } from '../store.js';

/** Below etcd's usual limits of 128 operations and 1.5 MiB per transaction. */
const BATCH_KEYS = 100;
const BATCH_BYTES = 1 << 20;

/** Everything that a store holds for the API begins with a slash. */
const ALL = { start: '/', end: '0' } as const;

/** One key to be written. */
export interface CopiedKey {
  readonly key: string;
  readonly value: Buffer;
  /** Seconds until it goes away by itself; 0: never. */
  readonly ttlSeconds: number;
}

/** Where a copy goes: a place that nobody uses before {@link finish}. */
export interface CopyTarget {
  /** Writes some keys; none of them was written before. */
  write(batch: readonly CopiedKey[]): Promise<void>;
  /** Everything that is there. */
  read(): Promise<readonly KeyValue[]>;
  /** Makes the copy the target's content, at once and for good; returns its revision. */
  finish(): Promise<Revision>;
  /** Releases everything; without {@link finish} before, the copy counts for nothing. */
  close(): Promise<void>;
}

/** What was copied. */
export interface CopyReport {
  readonly keys: number;
  readonly bytes: number;
  /** Keys that go away by themselves; they keep the time that they had left. */
  readonly expiringKeys: number;
  /** SHA-256, in hex, over all keys in order and their values, read back from the target. */
  readonly sha256: string;
  /** Revision of the source that was copied. */
  readonly sourceRevision: Revision;
  /** Revision of the target with the copy in it. */
  readonly targetRevision: Revision;
}

export interface CopyOptions {
  readonly progress?: (copied: number, total: number) => void;
  /** Aborting ends the copy with `KUBE_INTERRUPTED`; the target is then as it was, or not usable until a copy has succeeded. */
  readonly signal?: AbortSignal;
}

/**
 * Copies all keys of `source` as they are at one revision, reads them back and compares before the target may be used. Revisions
 * are not copied: they are the target's own.
 */
export async function copyStore(source: Store & ExpiryReader, target: CopyTarget, { progress, signal }: CopyOptions = {}): Promise<CopyReport> {
  const expiring = await source.expiring(ALL);
  const { kvs, revision } = await source.range(ALL);
  const keys = kvs.map(({ key, value }): CopiedKey => ({ key, value, ttlSeconds: expiring.get(key) ?? 0 }));
  let copied = 0;
  for (const batch of batches(keys)) {
    if (signal?.aborted) throw new KubeError('KUBE_INTERRUPTED', 'interrupted');
    await target.write(batch);
    copied += batch.length;
    progress?.(copied, keys.length);
  }
  const sha256 = compare(keys, await target.read());
  const targetRevision = await target.finish();
  return {
    keys: keys.length,
    bytes: keys.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + value.length, 0),
    expiringKeys: keys.filter(({ ttlSeconds }) => ttlSeconds > 0).length,
    sha256,
    sourceRevision: revision,
    targetRevision,
  };
}

function* batches(keys: readonly CopiedKey[]): Generator<readonly CopiedKey[]> {
  let batch: CopiedKey[] = [];
  let bytes = 0;
  for (const key of keys) {
    if (batch.length > 0 && (batch.length >= BATCH_KEYS || bytes + key.value.length > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(key);
    bytes += key.value.length;
  }
  if (batch.length > 0) yield batch;
}

/** Throws `KUBE_STORE_DAMAGED` when the target does not hold the very same; what has expired meanwhile may be missing. */
function compare(wanted: readonly CopiedKey[], found: readonly KeyValue[]): string {
  const values = new Map(found.map(({ key, value }) => [key, value]));
  const hash = createHash('sha256');
  for (const { key, value, ttlSeconds } of wanted) {
    const copy = values.get(key);
    values.delete(key);
    if (!copy && ttlSeconds > 0) continue;
    if (!copy?.equals(value)) throw new KubeError('KUBE_STORE_DAMAGED', `the copy of ${key} ${copy ? 'has another value' : 'is missing'}: nothing of the copy is used`);
    hash.update(`${Buffer.byteLength(key)} ${copy.length}\n`).update(key).update(copy);
  }
  const [extra] = values.keys();
  if (extra !== undefined) throw new KubeError('KUBE_STORE_DAMAGED', `somebody else wrote ${extra} while it was copied: nothing of the copy is used`);
  return hash.digest('hex');
}
