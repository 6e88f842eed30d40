import type { CompactionTurn } from '../store.js';
import type { EtcdConnection } from './connection.js';
import { RPC } from './connection.js';
import { decodeTransaction, encodeTransaction } from './messages.js';
import { storeErrorOf } from './call-error.js';

/** Upstream's key, without prefix, since compaction concerns all of etcd: its servers and ours take turns. */
const KEY = 'compact_rev_key';

/**
 * One turn of the agreement between all servers of an etcd: whoever first changes the key, which counts the turns, compacts to the
 * revision that it saw one turn ago. The others take over the count and the revision.
 */
export async function compactInTurn(connection: EtcdConnection, { count, revision }: CompactionTurn, compact: (revision: number) => Promise<void>): Promise<CompactionTurn> {
  const request = encodeTransaction({
    compare: [{ key: KEY, target: 'version', equals: count }],
    success: [{ type: 'put', key: KEY, value: Buffer.from(String(revision)) }],
    failure: [{ type: 'range', key: KEY }],
  });
  let response;
  try {
    // Twice is harmless: the second attempt finds the count changed, and the turn is left out.
    response = await connection.call(RPC.transaction, request, decodeTransaction, { repeatable: true });
  } catch (error) {
    throw storeErrorOf(error);
  }
  const newest = response.header.revision;
  if (!response.succeeded) return { count: response.responses[0]?.range?.kvs[0]?.version ?? 0, revision: newest };
  if (revision > 0) await compact(revision);
  return { count: count + 1, revision: newest };
}
