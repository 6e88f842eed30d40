import { KubeError } from '../../base/errors.js';
import { storeErrorOf } from './call-error.js';
import { RPC, type EtcdConnection } from './connection.js';
import type { Layout } from './layout.js';
import { decodeTransaction, encodeTransaction, type EtcdKeyValue, type TxnCompare, type TxnOperation, type TxnResponse } from './messages.js';
import { readRange } from './reads.js';

const FORMAT = 1;

/** What the key `PREFIX.format` says about everything under the prefix. */
export interface Marker {
  readonly format: number;
  /** `copying`: objects are being brought here; nobody may use them before that has ended. */
  readonly state: 'ready' | 'copying' | 'moved';
  /** Where they come from, or have gone to. */
  readonly peer?: string;
  /** Of the newest change of the marker. */
  readonly revision: number;
}

/** Reads the marker; undefined when there is none. Throws `KUBE_STORE_FORMAT` when it is none of ours or of a newer program. */
export async function readMarker(connection: EtcdConnection, layout: Layout): Promise<Marker | undefined> {
  const { kvs } = await readRange(connection, { key: layout.format });
  return kvs[0] && parse(layout, kvs[0]);
}

/** Whether nothing is stored under the prefix; otherwise the first key. */
export async function firstKey(connection: EtcdConnection, layout: Layout): Promise<string | undefined> {
  const { kvs } = await readRange(connection, { key: layout.dataStart, end: layout.dataEnd, limit: 1, keysOnly: true });
  return kvs[0]?.key;
}

/** Puts the marker in place of `previous` (undefined: there is none). False when somebody else was faster. */
export async function writeMarker(connection: EtcdConnection, layout: Layout, previous: Marker | undefined, next: Omit<Marker, 'format' | 'revision'>): Promise<boolean> {
  const value = Buffer.from(JSON.stringify({ format: FORMAT, ...next }));
  const touch: TxnOperation = { type: 'put', key: layout.revision, value: Buffer.from('1') };
  const { succeeded } = await transaction(connection, [markerIs(layout, previous)], [{ type: 'put', key: layout.format, value }, touch]);
  return succeeded;
}

/** Holds while the marker is the one that was read. */
export function markerIs(layout: Layout, marker: Marker | undefined): TxnCompare {
  return { key: layout.format, target: 'mod', equals: marker?.revision ?? 0 };
}

/** A transaction that is written by hand. Throws the contract's errors. */
export async function transaction(connection: EtcdConnection, compare: readonly TxnCompare[], success: readonly TxnOperation[]): Promise<TxnResponse> {
  try {
    return await connection.call(RPC.transaction, encodeTransaction({ compare, success, failure: [] }), decodeTransaction, { repeatable: true });
  } catch (error) {
    throw storeErrorOf(error);
  }
}

/** Sees to it that the prefix is ours and may be used; makes the marker in an empty one. Throws `KUBE_STORE_FORMAT` with what to do. */
export async function claimPrefix(connection: EtcdConnection, layout: Layout): Promise<void> {
  for (;;) {
    const marker = await readMarker(connection, layout);
    if (marker) return checkUsable(layout, marker);
    const foreign = await firstKey(connection, layout);
    if (foreign !== undefined) throw foreignError(layout, foreign);
    // The loser of a race looks again.
    if (await writeMarker(connection, layout, undefined, { state: 'ready' })) return;
  }
}

/** Throws `KUBE_STORE_FORMAT` unless what is under the prefix is whole and at home there. */
export function checkUsable(layout: Layout, { state, peer }: Marker): void {
  const name = layout.dataStart.slice(0, -1);
  if (state === 'moved') throw new KubeError('KUBE_STORE_FORMAT', `what was under the etcd prefix ${name} has been moved to ${peer ?? 'another one'}: use that as --etcd-prefix`);
  if (state === 'copying') throw new KubeError('KUBE_STORE_FORMAT', `what is under the etcd prefix ${name} is not complete: the copy from ${peer ?? 'elsewhere'} has not ended; let it end, or begin it again`);
}

/** Keys of somebody else are in the way. */
export function foreignError(layout: Layout, key: string): KubeError {
  return new KubeError('KUBE_STORE_FORMAT', `the etcd prefix ${layout.dataStart.slice(0, -1)} holds data that this program did not write (${key}): choose another --etcd-prefix. Objects that another API server stored cannot be used as they are`);
}

function parse(layout: Layout, kv: EtcdKeyValue): Marker {
  let value: { readonly format?: unknown; readonly state?: unknown; readonly peer?: unknown } | undefined;
  try {
    value = JSON.parse(kv.value.toString()) as { readonly format?: unknown };
  } catch {
    value = undefined;
  }
  const { format, state, peer } = value ?? {};
  if (typeof format !== 'number' || (state !== 'ready' && state !== 'copying' && state !== 'moved')) throw new KubeError('KUBE_STORE_FORMAT', `the etcd key ${layout.format} was not written by this program: choose another --etcd-prefix`);
  if (format > FORMAT) throw new KubeError('KUBE_STORE_FORMAT', `the etcd prefix ${layout.dataStart.slice(0, -1)} has data format ${format}, this program knows format ${FORMAT}: use the version of kube that wrote it`);
  return { format, state, revision: kv.modRevision, ...(typeof peer === 'string' ? { peer } : {}) };
}
