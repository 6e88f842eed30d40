import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';

/** Where an etcd cluster is and how one proves who one is. Secrets stand here in the clear: never log it. */
export interface EtcdLocation {
  /** URLs of members, `http://host:port` or `https://host:port`; at least one. The next one is taken when one fails. */
  readonly endpoints: readonly string[];
  /** PEM certificates that the members' certificates are checked with. Default: those that Node.js trusts. */
  readonly ca?: Buffer;
  /** PEM client certificate and its key, where etcd wants one. */
  readonly certificate?: Buffer;
  readonly key?: Buffer;
  readonly user?: string;
  readonly password?: string;
}

/** What an etcd store needs. */
export interface EtcdOptions extends EtcdLocation {
  /** What every key begins with, `/kube`; begins with a slash, and without one at its end. */
  readonly prefix: string;
  /** Takes over what an earlier prefix holds, once; see `migrate.ts`. */
  readonly migrateFrom?: string;
  /** What all who use the prefix at a time must have in common, in a form of its own; default: they need not. */
  readonly identity?: string;
  readonly clock: Clock;
  readonly log?: Logger;
  /** How long opening tries to reach etcd; default 10 s. */
  readonly connectMilliseconds?: number;
}
