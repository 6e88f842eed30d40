import { KubeError } from '../../base/errors.js';
import type { CopyTarget } from '../copy/copy-store.js';
import { storeErrorOf } from './call-error.js';
import { EtcdConnection } from './connection.js';
import { keyValueOf } from './etcd-watch.js';
import { Layout } from './layout.js';
import { Leases } from './leases.js';
import { firstKey, foreignError, markerIs, readMarker, transaction, writeMarker, type Marker } from './marker.js';
import type { EtcdOptions } from './options.js';
import { checkUnused } from './presence.js';
import { readAll } from './reads.js';

/**
 * A prefix of an etcd as the target of a copy. While it is copied the prefix is marked, so that no server starts on it; a copy that
 * was broken off is begun anew. Throws `KUBE_STORE_NOT_EMPTY` when objects are there, unless they are to be overwritten: then they are
 * removed first; and `KUBE_STORE_IN_USE` when somebody uses the prefix. `from` says where the copy comes from.
 */
export async function etcdCopyTarget(options: EtcdOptions, overwrite: boolean, from: string): Promise<CopyTarget> {
  const layout = new Layout(options.prefix);
  const connection = new EtcdConnection(options);
  const leases = new Leases(connection, options.clock);
  let marker: Marker;
  try {
    await connection.connect();
    marker = await begin(connection, layout, overwrite, from);
    await transaction(connection, [markerIs(layout, marker)], [{ type: 'delete', key: layout.dataStart, end: layout.dataEnd }]);
  } catch (error) {
    connection.close();
    throw storeErrorOf(error);
  }
  const check = (succeeded: boolean): void => {
    if (!succeeded) throw new KubeError('KUBE_STORE_UNAVAILABLE', `somebody else copies to the etcd prefix ${options.prefix} at the same time`);
  };
  return {
    async write(batch) {
      const puts = await Promise.all(batch.map(async ({ key, value, ttlSeconds }) => ({ type: 'put' as const, key: layout.key(key), value, lease: ttlSeconds > 0 ? await leases.take(ttlSeconds) : 0n })));
      check((await transaction(connection, [markerIs(layout, marker)], puts)).succeeded);
    },
    async read() {
      const { kvs } = await readAll(connection, layout, layout.dataStart, layout.dataEnd);
      return kvs.flatMap((kv) => keyValueOf(layout.storeKey(kv.key) ?? kv.key, kv));
    },
    async finish() {
      check(await writeMarker(connection, layout, marker, { state: 'ready' }));
      return (await readMarker(connection, layout))?.revision ?? 0;
    },
    close: () => Promise.resolve(connection.close()),
  };
}

async function begin(connection: EtcdConnection, layout: Layout, overwrite: boolean, from: string): Promise<Marker> {
  for (;;) {
    const present = await readMarker(connection, layout);
    const key = await firstKey(connection, layout);
    if (!present && key !== undefined) throw foreignError(layout, key);
    if (present?.state === 'ready' && key !== undefined && !overwrite) {
      throw new KubeError('KUBE_STORE_NOT_EMPTY', `the etcd prefix ${layout.dataStart.slice(0, -1)} holds objects already: name another one with --etcd-prefix, or replace them with --overwrite when no server uses them`);
    }
    await checkUnused(connection, layout);
    if (!(await writeMarker(connection, layout, present, { state: 'copying', peer: from }))) continue;
    const written = await readMarker(connection, layout);
    if (!written) continue;
    try {
      // Somebody may have come before the mark could be seen.
      await checkUnused(connection, layout);
    } catch (error) {
      if (present?.state === 'ready') await writeMarker(connection, layout, written, { state: 'ready' });
      throw error;
    }
    return written;
  }
}
