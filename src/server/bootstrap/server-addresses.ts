import { sleep } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { ServerContext } from '../server-context.js';

/** Upstream's place for it, under the store's own prefix. */
const PREFIX = '/masterleases/';
/** Upstream's `--endpoint-reconciler-type=lease`: a key that lasts 15 s, written every 10 s. */
const TTL_SECONDS = 15;
const RENEW_MILLISECONDS = 10_000;

/**
 * The addresses of all servers that share a store: each keeps a key of its own that goes away soon after the server has. A server
 * that shares with nobody is the only one.
 */
export class ServerAddresses {
  constructor(
    private readonly context: ServerContext,
    private readonly own: string,
  ) {}

  /** Says that this server is there; returns the addresses of all, in order. Throws the store's errors. */
  async renew(): Promise<readonly string[]> {
    const { store } = this.context;
    if (!store.capabilities.shared) return [this.own];
    await store.transact([], [{ type: 'put', key: PREFIX + this.own, value: Buffer.from('{}'), ttlSeconds: TTL_SECONDS }]);
    const { kvs } = await store.range({ start: PREFIX, end: `${PREFIX.slice(0, -1)}0` });
    return kvs.map(({ key }) => key.slice(PREFIX.length)).sort();
  }

  /** Goes on renewing, and calls `changed` with what is there each time, until `signal` aborts; then this server's address goes away. */
  async keep(changed: (addresses: readonly string[]) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, log, store } = this.context;
    if (!store.capabilities.shared) return;
    for (;;) {
      await sleep(clock, RENEW_MILLISECONDS, signal);
      if (signal.aborted) break;
      try {
        await changed(await this.renew());
      } catch (error) {
        log.warn('the addresses of the API servers could not be brought up to date', { error: errorMessage(error) });
      }
    }
    await store.transact([], [{ type: 'delete', key: PREFIX + this.own }]).catch(() => undefined);
  }
}
