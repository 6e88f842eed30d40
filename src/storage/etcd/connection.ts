import { sleep } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import { silentLogger, type Logger } from '../../base/log.js';
import { EtcdCallError, GRPC, storeErrorOf } from './call-error.js';
import { Endpoint } from './endpoint.js';
import { decodeAuthenticate, decodeHeaderOnly, encodeAuthenticate, encodeRange } from './messages.js';
import type { EtcdOptions } from './options.js';

/** Default time for reads; etcd itself gives up after 7 s without a leader. */
export const READ_MILLISECONDS = 5_000;
const CONNECT_MILLISECONDS = 10_000;
const PAUSE_MILLISECONDS = 100;
/** A lost connection may be no more than that: where there is no other member, the same one is asked again. */
const LEAST_ATTEMPTS = 2;
/** New tokens for one call at most. */
const RENEWALS = 3;
const AUTHENTICATE = '/etcdserverpb.Auth/Authenticate';

/** How a call may be tried. */
export interface CallOptions {
  /** For all attempts together; default 5 s. */
  readonly milliseconds?: number;
  /** Doing it twice does no harm: another member is asked when the outcome is unknown. */
  readonly repeatable: boolean;
}

/** The members of one etcd cluster: the one that answered last is asked first, the next one when it fails. */
export class EtcdConnection {
  private readonly endpoints: readonly Endpoint[];
  private preferred = 0;
  private token: Promise<string> | undefined;
  private cluster: bigint | undefined;
  private readonly log: Logger;
  private closed = false;

  constructor(private readonly options: EtcdOptions) {
    this.endpoints = options.endpoints.map((url) => new Endpoint(url, options, options.clock));
    this.log = options.log ?? silentLogger;
  }

  /** Number of members that are known. */
  get size(): number {
    return this.endpoints.length;
  }

  /** Identifies the cluster, after {@link connect}. */
  get clusterId(): bigint {
    return this.cluster ?? 0n;
  }

  /**
   * Waits until a member answers, and sees to it that all that do are of one cluster. Throws `KUBE_STORE_UNAVAILABLE` when none does in time,
   * `KUBE_STORE_DENIED` when etcd does not accept the credentials, `KUBE_STORE_FORMAT` for members of different clusters.
   */
  async connect(): Promise<void> {
    const { clock } = this.options;
    const end = clock.monotonic() + (this.options.connectMilliseconds ?? CONNECT_MILLISECONDS);
    for (;;) {
      const found = await Promise.all(this.endpoints.map((endpoint) => this.probe(endpoint, Math.max(1000, Math.min(READ_MILLISECONDS, end - clock.monotonic())))));
      const clusters = new Map(found.flatMap((result, i) => (typeof result === 'bigint' ? [[result, this.endpoints[i]!.url] as const] : [])));
      if (clusters.size > 1) throw new KubeError('KUBE_STORE_FORMAT', `the etcd endpoints ${[...clusters.values()].join(' and ')} belong to different clusters: name members of one cluster`);
      for (const [id] of clusters) {
        this.cluster = id;
        this.preferred = found.indexOf(id);
        return;
      }
      const errors = found.filter((result) => result instanceof Error);
      const fatal = errors.find((error) => !(error instanceof EtcdCallError) || !error.isTransient || isCertificateError(error));
      if (fatal || clock.monotonic() >= end) throw this.connectError(fatal ? [fatal] : errors);
      await sleep(clock, PAUSE_MILLISECONDS);
    }
  }

  /** Throws {@link EtcdCallError}, as {@link storeErrorOf} turns into the contract's errors. */
  async call<T>(method: string, request: Buffer, decode: (bytes: Buffer) => T, { milliseconds = READ_MILLISECONDS, repeatable }: CallOptions): Promise<T> {
    const { clock } = this.options;
    const end = clock.monotonic() + milliseconds;
    const count = this.endpoints.length;
    const attempts = Math.max(count, LEAST_ATTEMPTS);
    let renewals = 0;
    for (let attempt = 0; ; attempt++) {
      if (this.closed) throw new KubeError('KUBE_STORE_CLOSED', 'the store is closed');
      const at = this.preferred;
      const endpoint = this.endpoints[at]!;
      const left = end - clock.monotonic();
      let used: Promise<string> | undefined;
      try {
        const token = await this.tokenFor(endpoint);
        used = this.token;
        // With others to ask, the time is shared out.
        return await endpoint.unary(method, request, decode, token, Math.max(1, repeatable && attempt + 1 < count ? left / 2 : left));
      } catch (error) {
        if (!(error instanceof EtcdCallError)) throw error;
        if (error.wantsToken && this.options.user !== undefined && renewals < RENEWALS) {
          // Refused before anything was done. Somebody else may have asked for a new one meanwhile.
          renewals++;
          if (this.token === used) this.token = undefined;
          continue;
        }
        const again = error.unsent || (repeatable && error.isUnknown);
        if (error.isTransient && this.preferred === at) this.preferred = (at + 1) % count;
        if (!again || attempt + 1 >= attempts || clock.monotonic() >= end) throw error;
        this.log.info('etcd is asked again', { failed: error.endpoint, reason: error.details });
      }
    }
  }

  /** The preferred member, and a token for a stream of watches there. */
  async watchable(): Promise<{ readonly endpoint: Endpoint; readonly token: string | undefined }> {
    const endpoint = this.endpoints[this.preferred]!;
    return { endpoint, token: await this.tokenFor(endpoint) };
  }

  /** The member failed: the next one is asked from now on. A token that was refused is made anew. */
  failed(endpoint: Endpoint, error: EtcdCallError | undefined): void {
    if (error?.wantsToken || error?.status === GRPC.permissionDenied) this.token = undefined;
    if (this.endpoints[this.preferred] === endpoint) this.preferred = (this.preferred + 1) % this.endpoints.length;
  }

  close(): void {
    this.closed = true;
    for (const endpoint of this.endpoints) endpoint.close();
  }

  private async tokenFor(endpoint: Endpoint): Promise<string | undefined> {
    if (this.options.user === undefined) return undefined;
    const token = (this.token ??= this.authenticate(endpoint, this.options.user));
    try {
      return await token;
    } catch (error) {
      if (this.token === token) this.token = undefined;
      // What the token was wanted for was not sent.
      throw error instanceof EtcdCallError && error.isUnknown ? new EtcdCallError(error.status, error.details, error.endpoint, true) : error;
    }
  }

  private authenticate(endpoint: Endpoint, user: string): Promise<string> {
    return endpoint.unary(AUTHENTICATE, encodeAuthenticate(user, this.options.password ?? ''), decodeAuthenticate, undefined, READ_MILLISECONDS);
  }

  /** The cluster that a member belongs to, or why it cannot be told. */
  private async probe(endpoint: Endpoint, milliseconds: number): Promise<bigint | Error> {
    try {
      // Also shows whether the password is right, and whether there is a leader.
      const request = encodeRange({ key: `${this.options.prefix}.format`, countOnly: true });
      // Each member by itself: a token of one that fails must not count for the others.
      const token = this.options.user === undefined ? undefined : await this.authenticate(endpoint, this.options.user);
      return (await endpoint.unary(RPC.range, request, decodeHeaderOnly, token, milliseconds)).clusterId;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private connectError(errors: readonly Error[]): unknown {
    const [first] = errors;
    if (first instanceof EtcdCallError && !first.isTransient) return storeErrorOf(first);
    if (first && !(first instanceof EtcdCallError)) return first;
    const reasons = (errors as readonly EtcdCallError[]).map((error) => `${error.endpoint}: ${explained(error)}`);
    return new KubeError('KUBE_STORE_UNAVAILABLE', `etcd cannot be reached: ${reasons.join('; ')}`, { cause: first });
  }
}

function isCertificateError(error: EtcdCallError): boolean {
  return error.unsent && /certificate|altnames|CERT_|SSL|wrong version number|EPROTO/i.test(error.details);
}

function explained(error: EtcdCallError): string {
  const { details, endpoint } = error;
  if (/wrong version number|EPROTO|packet length too long/i.test(details)) return `${details} (does etcd speak http:// there?)`;
  if (/self.signed|unable to (verify|get)|altnames|issuer/i.test(details)) return `${details} (is --etcd-cafile the authority of etcd's certificate, and does the certificate name this host?)`;
  if (/certificate required|bad certificate|handshake/i.test(details)) return `${details} (etcd wants a client certificate: --etcd-certfile and --etcd-keyfile)`;
  if (endpoint.startsWith('http:') && /socket hang up|ECONNRESET|Protocol error|closed|Failed to connect/i.test(details)) return `${details} (does etcd speak https:// there?)`;
  return details;
}

export const RPC = {
  range: '/etcdserverpb.KV/Range',
  transaction: '/etcdserverpb.KV/Txn',
  compact: '/etcdserverpb.KV/Compact',
  grantLease: '/etcdserverpb.Lease/LeaseGrant',
  keepLeaseAlive: '/etcdserverpb.Lease/LeaseKeepAlive',
  revokeLease: '/etcdserverpb.Lease/LeaseRevoke',
  leaseTimeToLive: '/etcdserverpb.Lease/LeaseTimeToLive',
} as const;
