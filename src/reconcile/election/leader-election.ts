import type { V1Lease } from '../../api/generated/types.js';
import { LEASES } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { sleep, type Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Random } from '../../base/random.js';
import type { Client, ResourceClient } from '../../client/index.js';
import { microTimestamp } from '../../api/meta/timestamp.js';

/** What {@link runLeaderElection} needs. */
export interface LeaderElectionOptions {
  readonly client: Client;
  /** Name of the Lease, e.g. `kube-controller-manager`. */
  readonly name: string;
  /** Default `kube-system`. */
  readonly namespace?: string;
  /** Who this candidate is; must be unique. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** A lease not renewed for so long may be taken; default 15000. */
  readonly leaseDurationMilliseconds?: number;
  /** The leader gives up when it could not renew for so long; default 10000. */
  readonly renewDeadlineMilliseconds?: number;
  /** Between tries; default 2000. */
  readonly retryPeriodMilliseconds?: number;
}

/**
 * Waits until this candidate holds the Lease, then runs `lead`; `lead`'s signal aborts when the lease is lost or `signal` aborts.
 * Resolves with `lost` or `stopped` after `lead` has ended; the lease is given back when it is still held. A lease
 * counts as expired by the time since this process saw it change, so the clocks of the candidates need not agree.
 */
export async function runLeaderElection(
  options: LeaderElectionOptions,
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<'lost' | 'stopped'> {
  const election = new Election(options);
  if (!(await election.acquire(signal))) return 'stopped';
  options.log.info('became the leader', { lease: options.name, identity: options.identity });
  const leading = new AbortController();
  const stop = (): void => leading.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const renewing = election.renew(leading.signal).finally(stop);
  try {
    await lead(leading.signal);
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
  const lost = await renewing;
  if (!lost) await election.release();
  else options.log.warn('lost the lease', { lease: options.name });
  return lost ? 'lost' : 'stopped';
}

class Election {
  private readonly leases: ResourceClient<V1Lease>;
  private readonly namespace: string;
  private readonly duration: number;
  private readonly retry: number;
  private observed: V1Lease | undefined;
  private observedAt = 0;

  constructor(private readonly options: LeaderElectionOptions) {
    this.leases = options.client.resource(LEASES);
    this.namespace = options.namespace ?? 'kube-system';
    this.duration = options.leaseDurationMilliseconds ?? 15_000;
    this.retry = options.retryPeriodMilliseconds ?? 2_000;
  }

  async acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (await this.tryAcquireOrRenew()) return true;
      await sleep(this.options.clock, this.retry * (1 + 1.2 * this.options.random.float()), signal);
    }
    return false;
  }

  /** Resolves with true when the lease is lost, false when the signal aborts. */
  async renew(signal: AbortSignal): Promise<boolean> {
    const { clock, renewDeadlineMilliseconds = 10_000 } = this.options;
    let renewed = clock.monotonic();
    for (;;) {
      await sleep(clock, this.retry, signal);
      if (signal.aborted) return false;
      if (await this.tryAcquireOrRenew()) renewed = clock.monotonic();
      else if (clock.monotonic() - renewed >= renewDeadlineMilliseconds) return true;
    }
  }

  /** Gives the lease back, so that another candidate need not wait for it to expire. */
  async release(): Promise<void> {
    const lease = this.observed;
    if (lease?.spec?.holderIdentity !== this.options.identity) return;
    try {
      const now = this.timestamp();
      await this.leases.update({ ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now } });
    } catch (error) {
      this.options.log.debug('could not give the lease back', { lease: this.options.name, error: errorMessage(error) });
    }
  }

  private async tryAcquireOrRenew(): Promise<boolean> {
    const { identity, name, clock, log } = this.options;
    try {
      const current = await this.read();
      const now = this.timestamp();
      if (!current) {
        this.observe(await this.leases.create({
          metadata: { namespace: this.namespace, name },
          spec: { holderIdentity: identity, leaseDurationSeconds: Math.ceil(this.duration / 1000), acquireTime: now, renewTime: now, leaseTransitions: 0 },
        }));
        return true;
      }
      this.observe(current);
      const holder = current.spec?.holderIdentity ?? '';
      const mine = holder === identity;
      const validFor = (current.spec?.leaseDurationSeconds ?? 0) * 1000;
      if (!mine && holder !== '' && clock.monotonic() - this.observedAt < validFor) return false;
      this.observe(await this.leases.update({
        ...current,
        spec: {
          ...current.spec,
          holderIdentity: identity,
          leaseDurationSeconds: Math.ceil(this.duration / 1000),
          renewTime: now,
          ...(mine ? {} : { acquireTime: now, leaseTransitions: (current.spec?.leaseTransitions ?? 0) + 1 }),
        },
      }));
      return true;
    } catch (error) {
      log.debug('could not take or renew the lease', { lease: name, error: errorMessage(error) });
      return false;
    }
  }

  private async read(): Promise<V1Lease | undefined> {
    try {
      return await this.leases.get(this.namespace, this.options.name);
    } catch (error) {
      if (StatusError.is(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  private observe(lease: V1Lease): void {
    if (this.observed?.metadata?.resourceVersion === lease.metadata?.resourceVersion && this.observed) return;
    this.observed = lease;
    this.observedAt = this.options.clock.monotonic();
  }

  /** `MicroTime`: six digits. */
  private timestamp(): string {
    return microTimestamp(this.options.clock.now());
  }
}
