import type { Clock } from '../../base/clock.js';
import type { EtcdConnection } from './connection.js';
import { RPC } from './connection.js';
import { decodeLease, encodeLeaseGrant } from './messages.js';

/** Upstream's numbers: a lease is given to later keys for this part of its time, at most so long, and to so many keys. */
const REUSE_PART = 0.05;
const REUSE_SECONDS = 60;
const REUSE_KEYS = 1000;

interface Lease {
  readonly id: Promise<bigint>;
  readonly ttlSeconds: number;
  /** Monotonic milliseconds until which new keys may get it. */
  readonly until: number;
  keys: number;
}

/** Leases for keys that go away by themselves. Keys that come soon after each other share one, since each lease costs etcd a write and memory. */
export class Leases {
  private readonly byTtl = new Map<number, Lease>();

  constructor(
    private readonly connection: EtcdConnection,
    private readonly clock: Clock,
  ) {}

  /** A lease that lasts `ttlSeconds` or up to a twentieth (at most a minute) longer. */
  async take(ttlSeconds: number): Promise<bigint> {
    const known = this.byTtl.get(ttlSeconds);
    if (known && known.keys < REUSE_KEYS && this.clock.monotonic() < known.until) {
      known.keys++;
      return known.id;
    }
    const extra = Math.min(Math.floor(ttlSeconds * REUSE_PART), REUSE_SECONDS);
    const id = this.connection.call(RPC.grantLease, encodeLeaseGrant(ttlSeconds + extra), decodeLease, { repeatable: true }).then(({ lease }) => lease);
    const lease: Lease = { id, ttlSeconds, until: this.clock.monotonic() + extra * 1000, keys: 1 };
    this.byTtl.set(ttlSeconds, lease);
    try {
      return await id;
    } catch (error) {
      this.forget(ttlSeconds);
      throw error;
    }
  }

  /** etcd does not know the lease any more. */
  forget(ttlSeconds: number): void {
    this.byTtl.delete(ttlSeconds);
  }
}
