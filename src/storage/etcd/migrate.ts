import { KubeError } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { EtcdConnection } from './connection.js';
import type { Layout } from './layout.js';
import { checkUsable, firstKey, foreignError, markerIs, readMarker, transaction, writeMarker, type Marker } from './marker.js';
import type { EtcdKeyValue, TxnOperation } from './messages.js';
import { checkUnused } from './presence.js';
import { pages } from './reads.js';

/** Below etcd's usual limits of 128 operations and 1.5 MiB per transaction. */
const BATCH_KEYS = 100;
const BATCH_BYTES = 1 << 20;

/**
 * Takes over what is under an earlier prefix of the same etcd, once: nothing happens when the new prefix is in use already. The old
 * prefix is marked first, so that no server starts there again; then objects are copied, with their leases; last the new prefix is
 * marked as ready. Broken off anywhere, the next start does it again. What was copied stays under the old prefix, too.
 *
 * Servers that use the old prefix must be stopped before. Throws `KUBE_STORE_FORMAT` when there is nothing to take over,
 * `KUBE_STORE_IN_USE` when somebody uses the old prefix.
 */
export async function migratePrefix(connection: EtcdConnection, from: Layout, to: Layout, log: Logger): Promise<void> {
  const [source, target] = [nameOf(from), nameOf(to)];
  if (source === target) throw new KubeError('KUBE_STORE_FORMAT', `the old and the new etcd prefix are both ${target}`);
  for (;;) {
    const present = await readMarker(connection, to);
    if (present && !(present.state === 'copying' && present.peer === source)) return;
    const old = await readMarker(connection, from);
    if (!old) {
      const key = await firstKey(connection, from);
      throw key === undefined ? new KubeError('KUBE_STORE_FORMAT', `there is nothing under the old etcd prefix ${source} to take over`) : foreignError(from, key);
    }
    if (old.state !== 'moved' || old.peer !== target) checkUsable(from, old);
    if (old.state !== 'moved') await checkUnused(connection, from);
    if (!present) {
      const key = await firstKey(connection, to);
      if (key !== undefined) throw foreignError(to, key);
      await writeMarker(connection, to, undefined, { state: 'copying', peer: source });
      continue;
    }
    if (old.state !== 'moved') {
      if (!(await writeMarker(connection, from, old, { state: 'moved', peer: target }))) continue;
      await checkStillUnused(connection, from, target);
    }
    log.info('taking over what is under an earlier etcd prefix', { from: source, to: target });
    if (await copyAll(connection, from, to, present)) {
      log.info('the earlier etcd prefix has been taken over', { from: source, to: target });
      return;
    }
  }
}

/** Somebody may have come before the mark could be seen: then it is taken away again. */
async function checkStillUnused(connection: EtcdConnection, from: Layout, target: string): Promise<void> {
  try {
    await checkUnused(connection, from);
  } catch (error) {
    const marker = await readMarker(connection, from);
    if (marker?.state === 'moved' && marker.peer === target) await writeMarker(connection, from, marker, { state: 'ready' });
    throw error;
  }
}

/** False when somebody else finished it meanwhile. */
async function copyAll(connection: EtcdConnection, from: Layout, to: Layout, marker: Marker): Promise<boolean> {
  for await (const { kvs } of pages(connection, { key: from.dataStart, end: from.dataEnd })) {
    let batch: EtcdKeyValue[] = [];
    let bytes = 0;
    for (const kv of kvs) {
      if (batch.length > 0 && (batch.length >= BATCH_KEYS || bytes + kv.value.length > BATCH_BYTES)) {
        if (!(await copyBatch(connection, from, to, marker, batch))) return false;
        batch = [];
        bytes = 0;
      }
      batch.push(kv);
      bytes += kv.value.length;
    }
    if (batch.length > 0 && !(await copyBatch(connection, from, to, marker, batch))) return false;
  }
  return writeMarker(connection, to, marker, { state: 'ready' });
}

/** Holds only while the copy is not finished: a straggler cannot bring back what a server has removed since. */
async function copyBatch(connection: EtcdConnection, from: Layout, to: Layout, marker: Marker, batch: readonly EtcdKeyValue[]): Promise<boolean> {
  const put = ({ key, value, lease }: EtcdKeyValue): TxnOperation => ({ type: 'put', key: to.dataStart + key.slice(from.dataStart.length), value, lease });
  try {
    return (await transaction(connection, [markerIs(to, marker)], batch.map(put))).succeeded;
  } catch (error) {
    if (!(error instanceof Error) || !/lease not found/.test(error.message)) throw error;
    if (batch.length === 1) return true;
  }
  // A lease ran out: its keys are gone from the old prefix, too.
  for (const kv of batch) if (!(await copyBatch(connection, from, to, marker, [kv]))) return false;
  return true;
}

function nameOf(layout: Layout): string {
  return layout.dataStart.slice(0, -1);
}
