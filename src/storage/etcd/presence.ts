import { hostname } from 'node:os';
import type { CancelTimer, Clock } from '../../base/clock.js';
import { errorMessage, KubeError } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { storeErrorOf } from './call-error.js';
import { RPC, type EtcdConnection } from './connection.js';
import type { Layout } from './layout.js';
import { transaction } from './marker.js';
import { decodeHeaderOnly, decodeLease, encodeLeaseGrant, encodeLeaseTimeToLive } from './messages.js';
import { readRange } from './reads.js';

/** One that ended without a word is believed to use the prefix for so long. */
const TTL_SECONDS = 15;
const RENEW_MILLISECONDS = 5_000;
const LEAVE_MILLISECONDS = 1_000;

/** What a process needs to say that it uses a prefix. */
export interface PresenceEnvironment {
  readonly connection: EtcdConnection;
  readonly layout: Layout;
  readonly clock: Clock;
  readonly log: Logger;
  /** See `EtcdOptions`. */
  readonly identity?: string | undefined;
}

/**
 * Says with a key of its own, as long as a store is open, that somebody uses the prefix, so that nobody overwrites it or moves it away
 * meanwhile. Whoever wants that marks the prefix first and looks for users then; whoever opens a store does it the other way round, so
 * that one of the two sees the other.
 */
export class Presence {
  private lease = 0n;
  private cancelTimer: CancelTimer | undefined;
  private left = false;

  private constructor(private readonly environment: PresenceEnvironment) {}

  /** Throws the contract's errors. */
  static async announce(environment: PresenceEnvironment): Promise<Presence> {
    const presence = new Presence(environment);
    try {
      await presence.enter();
    } catch (error) {
      throw storeErrorOf(error);
    }
    presence.arm();
    return presence;
  }

  /** Takes the key away, if etcd answers soon. */
  async leave(): Promise<void> {
    this.left = true;
    this.cancelTimer?.();
    const { connection } = this.environment;
    await connection.call(RPC.revokeLease, encodeLeaseTimeToLive(this.lease), decodeHeaderOnly, { repeatable: true, milliseconds: LEAVE_MILLISECONDS }).catch(() => undefined);
  }

  private async enter(): Promise<void> {
    const { connection, layout, identity } = this.environment;
    this.lease = (await connection.call(RPC.grantLease, encodeLeaseGrant(TTL_SECONDS), decodeLease, { repeatable: true })).lease;
    const value = Buffer.from(JSON.stringify({ host: hostname(), pid: process.pid, ...(identity === undefined ? {} : { identity }) }));
    await transaction(connection, [], [{ type: 'put', key: layout.users + this.lease.toString(16), value, lease: this.lease }]);
  }

  private arm(): void {
    this.cancelTimer = this.environment.clock.setTimeout(() => void this.renew(), RENEW_MILLISECONDS, { unref: true });
  }

  private async renew(): Promise<void> {
    const { connection, log } = this.environment;
    try {
      const { ttlSeconds } = await connection.call(RPC.keepLeaseAlive, encodeLeaseTimeToLive(this.lease), decodeLease, { repeatable: true });
      if (ttlSeconds <= 0 && !this.left) await this.enter();
    } catch (error) {
      log.debug('etcd cannot be told that this server is here', { reason: errorMessage(error) });
    }
    if (!this.left) this.arm();
  }
}

/** Throws `KUBE_STORE_IDENTITY` when somebody with another identity uses the prefix. To be called after {@link Presence.announce}: of two who come at once, one at least sees the other. */
export async function checkIdentities(connection: EtcdConnection, layout: Layout, identity: string): Promise<void> {
  const others = (await users(connection, layout)).filter((user) => user.identity !== undefined && user.identity !== identity);
  if (others.length === 0) return;
  throw new KubeError(
    'KUBE_STORE_IDENTITY',
    `the etcd prefix ${layout.dataStart.slice(0, -1)} is used with other keys (${others.map(nameOf).join(', ')}; one that was killed counts for up to ${TTL_SECONDS} s)`,
  );
}

/** Throws `KUBE_STORE_IN_USE` when somebody uses the prefix, and names who it is. */
export async function checkUnused(connection: EtcdConnection, layout: Layout): Promise<void> {
  const found = await users(connection, layout);
  if (found.length === 0) return;
  throw new KubeError(
    'KUBE_STORE_IN_USE',
    `the etcd prefix ${layout.dataStart.slice(0, -1)} is in use (${found.map(nameOf).join(', ')}): stop the servers that use it first; one that was killed counts for up to ${TTL_SECONDS} s`,
  );
}

/** What somebody who uses the prefix says of themselves. */
interface User {
  readonly host?: unknown;
  readonly pid?: unknown;
  readonly identity?: unknown;
}

async function users(connection: EtcdConnection, layout: Layout): Promise<readonly User[]> {
  const { kvs } = await readRange(connection, { key: layout.users, end: layout.usersEnd });
  return kvs.map(({ value }) => {
    try {
      return (JSON.parse(value.toString()) ?? {}) as User;
    } catch {
      return {};
    }
  });
}

function nameOf({ host, pid }: User): string {
  return host === undefined ? 'a process without a name' : `process ${String(pid)} on ${String(host)}`;
}
