import type { Registry } from 'prom-client';
import type { V1Service } from '../api/generated/types.js';
import type { Clock } from '../base/clock.js';
import type { Component } from '../base/component.js';
import { errorMessage } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { Commands } from '../base/process/commands.js';
import type { Random } from '../base/random.js';
import { Backoff, type Client, type InformerFactory } from '../client/index.js';
import { EventLoopTurns, type EventRecorder } from '../reconcile/index.js';
import { addUdpTargets, ConntrackCleaner, servingUdp, type UdpTargets } from './conntrack.js';
import { HealthCheckServers, type ServiceHealth } from './health-check.js';
import { IPV4, ProxyMetrics } from './metrics.js';
import { endpointsOfSlices, type EndpointsByPort } from './model/endpoint.js';
import { healthCheckNodePort, servicePorts, type ServicePortInfo } from './model/service-port.js';
import { ServiceSource } from './model/service-source.js';
import type { ServiceProxyOptions } from './options.js';
import { serviceRules } from './rules/service-rules.js';
import { Nft } from './sync/nft.js';
import { SerialLoop } from './sync/serial-loop.js';
import { affinityElements, differenceOf } from './sync/table-listing.js';
import { STALE_CHAIN_MILLISECONDS, TableState, type AffinityElements } from './sync/table-state.js';

/** What a service proxy is given. */
export interface ServiceProxyEnvironment {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Where its metrics are registered; absent: nowhere. */
  readonly metrics?: Registry;
  readonly recorder?: EventRecorder;
}

const DEFAULT_MIN_SYNC_MILLISECONDS = 10;
const RETRY_BACKOFF = { initialMilliseconds: 200, maximumMilliseconds: 30_000 };
/** How often the table is compared with what it should be; where that is expensive, it may take half a percent of one core. */
const CHECK_MILLISECONDS = 45_000;
const CHECK_SHARE = 200;

/**
 * Programs the kernel so that the addresses of services lead to their endpoints, as upstream's proxy in nftables mode does.
 * The rules stay when it stops, and connections go on; the next start puts its own table in their place in one moment.
 */
export function createServiceProxy(options: ServiceProxyOptions, environment: ServiceProxyEnvironment): Component {
  return new ServiceProxy(options, environment);
}

class ServiceProxy implements Component {
  readonly name = 'service-proxy';
  private readonly source: ServiceSource;
  private readonly state: TableState;
  private readonly nft: Nft;
  private readonly conntrack: ConntrackCleaner;
  private readonly health: HealthCheckServers;
  private readonly metrics: ProxyMetrics | undefined;
  private readonly loop: SerialLoop;
  private readonly backoff: Backoff;
  private readonly turns: EventLoopTurns;
  private readonly stopping = new AbortController();
  /** `address:port` of serving UDP endpoints by service and port. */
  private readonly udp = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
  private readonly healthChanges = new Map<string, ServiceHealth | undefined>();
  private triggers: number[] = [];
  private started = false;
  private firstSync: (() => void) | undefined;
  private needFull = true;
  private needConntrack = false;
  private retryAt = Number.NEGATIVE_INFINITY;
  private checkAt = Number.POSITIVE_INFINITY;

  constructor(private readonly options: ServiceProxyOptions, private readonly environment: ServiceProxyEnvironment) {
    const { clock, commands, informers, log, metrics, random, recorder } = environment;
    this.metrics = metrics ? new ProxyMetrics(metrics) : undefined;
    this.source = new ServiceSource(informers, options.nodeName, {
      serviceChanged: () => this.metrics?.serviceChanges.inc(),
      endpointsChanged: () => this.metrics?.endpointChanges.inc(),
      changed: () => this.changed(),
    });
    this.state = new TableState(options);
    this.nft = new Nft(commands, options.table);
    this.conntrack = new ConntrackCleaner(commands, log);
    this.health = new HealthCheckServers({ nodeName: options.nodeName, nodeIps: options.nodeIps, log, ...(recorder ? { recorder } : {}) });
    this.backoff = new Backoff(random, RETRY_BACKOFF);
    this.turns = new EventLoopTurns(clock);
    this.loop = new SerialLoop(clock, options.minSyncMilliseconds ?? DEFAULT_MIN_SYNC_MILLISECONDS, () => this.run());
  }

  /** Resolves after the first attempt to write the table; one that failed is tried again. */
  async start(signal: AbortSignal): Promise<void> {
    const { informers, recorder } = this.environment;
    informers.start();
    // As upstream, the node's name stands for its uid.
    recorder?.event({ apiVersion: 'v1', kind: 'Node', metadata: { name: this.options.nodeName, uid: this.options.nodeName } }, 'Normal', 'Starting', '', { action: 'StartKubeProxy' });
    await this.source.whenSynced(AbortSignal.any([signal, this.stopping.signal]));
    const first = new Promise<void>((resolve) => {
      this.firstSync = resolve;
      this.stopping.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.started = true;
    this.loop.request();
    await first;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.source.stop();
    await this.loop.stop();
    await this.health.stop();
  }

  private changed(): void {
    this.metrics?.lastQueued.set(IPV4, this.environment.clock.now() / 1000);
    if (this.started) this.loop.request();
  }

  /** One turn of the loop: what changed, what is left over, and now and then a look at the whole. */
  private async run(): Promise<number> {
    const { clock, log } = this.environment;
    try {
      if ((this.needFull || this.source.hasChanges) && clock.monotonic() >= this.retryAt) await this.sync();
      if (this.state.hasStaleChains) await this.removeStaleChains();
      if (clock.monotonic() >= this.checkAt) await this.check();
    } catch (error) {
      log.error('the rules of services could not be brought to the wanted state', { table: this.options.table, error: errorMessage(error) });
      this.failed();
    }
    this.firstSync?.();
    const now = clock.monotonic();
    const wakes = [this.checkAt - now, ...(this.state.hasStaleChains ? [STALE_CHAIN_MILLISECONDS] : []), ...(this.needFull ? [this.retryAt - now] : [])];
    return Math.max(0, Math.min(...wakes));
  }

  private async sync(): Promise<void> {
    const { clock } = this.environment;
    const begin = clock.monotonic();
    const full = this.needFull;
    const { keys, triggers } = this.source.take();
    this.triggers.push(...triggers);
    for (const key of keys) {
      await this.update(key);
      await this.turns.maybeYield();
    }
    const script = full ? await this.state.fullTransaction(this.turns, await this.clients()) : this.state.changes(clock.monotonic());
    if (script !== undefined) await this.nft.apply(script);
    if (this.checkAt === Number.POSITIVE_INFINITY) this.checkAt = clock.monotonic() + CHECK_MILLISECONDS;
    this.needFull = false;
    this.backoff.reset();
    this.observe(full, (clock.monotonic() - begin) / 1000);
    for (const [key, health] of this.healthChanges) await this.health.set(key, health);
    this.healthChanges.clear();
    if (this.needConntrack) {
      this.needConntrack = false;
      await this.conntrack.clean(await this.udpTargets(), this.turns);
    }
  }

  private async update(key: string): Promise<void> {
    const service = this.source.service(key);
    const ports = service ? servicePorts(service) : [];
    if (!service || ports.length === 0) {
      this.udp.delete(key);
      if (this.state.has(key)) this.state.set(key, '', undefined);
      if (this.health.has(key)) this.healthChanges.set(key, undefined);
      return;
    }
    const { nodeName, nodeIps, clusterCidr } = this.options;
    const endpoints = await endpointsOfSlices(this.source.slicesOf(key), nodeName, this.turns);
    const rules = serviceRules(ports, endpoints, { nodeName, nodeIps, clusterCidr, zone: this.source.zone });
    await this.turns.maybeYield();
    this.state.set(key, `${service.metadata?.creationTimestamp ?? ''}|${key}`, rules);
    this.noteUdp(key, ports, endpoints);
    const port = healthCheckNodePort(service);
    if (port !== 0) this.healthChanges.set(key, { service, port, localEndpoints: localEndpoints(endpoints) });
    else if (this.health.has(key)) this.healthChanges.set(key, undefined);
  }

  /** Flows have to be cleared when an endpoint went, and when the first one came: until then packets led nowhere. */
  private noteUdp(key: string, ports: readonly ServicePortInfo[], endpoints: EndpointsByPort): void {
    const before = this.udp.get(key);
    const after = new Map(ports.flatMap((port) => (port.protocol === 'UDP' ? [[port.name, servingUdp(port, endpoints)] as const] : [])));
    for (const [port, serving] of after) {
      const old = before?.get(port) ?? new Set();
      if (serving.size > 0 && (old.size === 0 || [...old].some((target) => !serving.has(target)))) this.needConntrack = true;
    }
    if (after.size > 0) this.udp.set(key, after);
    else this.udp.delete(key);
  }

  private async udpTargets(): Promise<UdpTargets> {
    const targets: UdpTargets = new Map();
    for (const key of this.udp.keys()) {
      const service: V1Service | undefined = this.source.service(key);
      if (service) addUdpTargets(targets, servicePorts(service), await endpointsOfSlices(this.source.slicesOf(key), this.options.nodeName, this.turns), this.options.nodeIps);
      await this.turns.maybeYield();
    }
    return targets;
  }

  /** Clients that a table of an earlier run, or one that is written anew, remembers. */
  private async clients(): Promise<AffinityElements> {
    const listing = this.state.usesAffinity ? await this.nft.listSets() : undefined;
    return listing === undefined ? new Map() : affinityElements(listing, this.options.table);
  }

  private async removeStaleChains(): Promise<void> {
    const { clock, log } = this.environment;
    const chains = this.state.removableChains(clock.monotonic());
    if (chains.length === 0) return;
    try {
      await this.nft.apply(this.state.removal(chains));
      this.state.removed(chains);
    } catch (error) {
      this.metrics?.cleanupFailures.inc(IPV4);
      log.warn('chains without use could not be removed', { table: this.options.table, chains: chains.length, error: errorMessage(error) });
      this.state.removed(chains, clock.monotonic());
      // Perhaps they are gone, since somebody flushed the table.
      this.checkAt = Math.min(this.checkAt, clock.monotonic() + STALE_CHAIN_MILLISECONDS);
    }
  }

  private async check(): Promise<void> {
    const { clock, log } = this.environment;
    const begin = clock.monotonic();
    this.checkAt = begin + CHECK_MILLISECONDS;
    const listing = await this.nft.list();
    const difference = listing === undefined ? 'the table is missing' : await differenceOf(listing, this.state.expected(), this.turns);
    const now = clock.monotonic();
    this.checkAt = now + Math.max(CHECK_MILLISECONDS, (now - begin) * CHECK_SHARE);
    if (difference === undefined || this.needFull) return;
    log.warn('somebody changed the rules of services; they are written anew', { table: this.options.table, difference });
    this.needFull = true;
    await this.sync();
  }

  private failed(): void {
    this.metrics?.syncFailures.inc(IPV4);
    this.needFull = true;
    this.retryAt = this.environment.clock.monotonic() + this.backoff.next();
  }

  private observe(full: boolean, seconds: number): void {
    const { metrics } = this;
    const now = this.environment.clock.now();
    const triggers = this.triggers;
    this.triggers = [];
    if (!metrics) return;
    metrics.syncSeconds.observe(IPV4, seconds);
    (full ? metrics.fullSyncSeconds : metrics.partialSyncSeconds).observe(IPV4, seconds);
    metrics.lastSync.set(IPV4, now / 1000);
    for (const trigger of triggers) metrics.programmingSeconds.observe(IPV4, Math.max(0, now - trigger) / 1000);
    const { internal, external } = this.state.withoutLocalEndpoints();
    metrics.withoutLocalEndpoints.set({ traffic_policy: 'internal', ...IPV4 }, internal);
    metrics.withoutLocalEndpoints.set({ traffic_policy: 'external', ...IPV4 }, external);
  }
}

/** Pods of this node that are ready, whatever their ports. */
function localEndpoints(endpoints: EndpointsByPort): number {
  const ips = new Set<string>();
  for (const group of endpoints.values()) for (const { ip, local, ready } of group) if (local && ready) ips.add(ip);
  return ips.size;
}
