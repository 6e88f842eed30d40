import { errorCode, KubeError } from '../../base/errors.js';
import { storeErrorOf } from './call-error.js';
import { RPC, type EtcdConnection } from './connection.js';
import type { Layout } from './layout.js';
import { decodeRange, decodeTransaction, encodeRange, encodeTransaction, type EtcdKeyValue, type RangeRequest, type RangeResponse } from './messages.js';

const PAGE_KEYS = 1000;
/** A page of more than this makes the next ones smaller. */
const PAGE_BYTES = 8 << 20;
/** A range whose revision is compacted while it is read is begun anew this often. */
const ATTEMPTS = 5;

/** One range as etcd answers it, linearizable unless it names a revision; `milliseconds`: as for every call. Throws the contract's errors. */
export async function readRange(connection: EtcdConnection, request: RangeRequest, milliseconds?: number): Promise<RangeResponse> {
  try {
    return await connection.call(RPC.range, encodeRange(request), decodeRange, { repeatable: true, ...(milliseconds === undefined ? {} : { milliseconds }) });
  } catch (error) {
    throw storeErrorOf(error);
  }
}

/**
 * One range together with the newest revision under the prefix that it shows. What etcd's own revision counts beyond that happened
 * elsewhere, and no watch of ours would ever come to it.
 */
export async function readRangeOf(connection: EtcdConnection, layout: Layout, request: RangeRequest): Promise<{ readonly range: RangeResponse; readonly revision: number }> {
  const transaction = encodeTransaction({ compare: [], success: [{ type: 'range', ...request }, { type: 'range', key: layout.revision }], failure: [] });
  try {
    const { responses, header } = await connection.call(RPC.transaction, transaction, decodeTransaction, { repeatable: true });
    const range = responses[0]!.range!;
    return { range: { ...range, header }, revision: responses[1]?.range?.kvs[0]?.modRevision ?? 0 };
  } catch (error) {
    throw storeErrorOf(error);
  }
}

/** A whole range, page by page, all of one revision. */
export async function readAll(connection: EtcdConnection, layout: Layout, start: string, end: string): Promise<{ readonly kvs: readonly EtcdKeyValue[]; readonly revision: number }> {
  for (let attempt = 1; ; attempt++) {
    const kvs: EtcdKeyValue[] = [];
    try {
      const { range, revision } = await readRangeOf(connection, layout, { key: start, end, limit: PAGE_KEYS });
      for (const kv of range.kvs) kvs.push(kv);
      if (range.more) for await (const page of pages(connection, { key: `${kvs.at(-1)!.key}\0`, end, revision: range.header.revision })) for (const kv of page.kvs) kvs.push(kv);
      return { kvs, revision };
    } catch (error) {
      if (errorCode(error) !== 'KUBE_STORE_COMPACTED') throw error;
      if (attempt === ATTEMPTS) throw new KubeError('KUBE_STORE_UNAVAILABLE', 'etcd is compacted faster than it can be read', { cause: error });
    }
  }
}

/** The pages of a range; `header.revision` is that of the first one in all of them. Throws `KUBE_STORE_COMPACTED` when it is compacted meanwhile. */
export async function* pages(connection: EtcdConnection, { key: start, end = '', revision: at, keysOnly = false }: RangeRequest): AsyncGenerator<RangeResponse> {
  let revision = at;
  let key = start;
  let limit = PAGE_KEYS;
  for (;;) {
    const page = await readRange(connection, { key, end, limit, keysOnly, ...(revision === undefined ? {} : { revision }) });
    revision ??= page.header.revision;
    yield { ...page, header: { ...page.header, revision } };
    if (!page.more || page.kvs.length === 0) return;
    key = `${page.kvs.at(-1)!.key}\0`;
    const bytes = page.kvs.reduce((sum, kv) => sum + kv.value.length, 0);
    if (bytes > PAGE_BYTES) limit = Math.max(10, Math.floor((limit * PAGE_BYTES) / bytes));
  }
}
