import type { Registry } from 'prom-client';
import { whenAborted } from '../base/abort.js';
import { sleep, type Clock } from '../base/clock.js';
import type { Component } from '../base/component.js';
import { errorCode, KubeError } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { Random } from '../base/random.js';
import type { Client, InformerFactory } from '../client/index.js';
import { Forwarder } from './forward/forwarder.js';
import { parseServer, ResolvConf, type DnsServer } from './forward/resolv-conf.js';
import { createDnsMetrics } from './metrics.js';
import type { ClusterDnsOptions } from './options.js';
import { Resolver } from './server/resolver.js';
import { TcpServer } from './server/tcp-server.js';
import { UdpServer } from './server/udp-server.js';
import { ServiceKeeper } from './service-keeper.js';
import { ClusterZone } from './zone/cluster-zone.js';
import { ClusterIndexes } from './zone/indexes.js';

/** The outside world, given by the composition root. */
export interface ClusterDnsEnvironment {
  /** May list and watch services, endpoint slices and namespaces, and write services and endpoint slices of `kube-system`. */
  readonly client: Client;
  /** Of the same identity. The role starts it, and its owner stops it. */
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Registry;
}

/** The running cluster DNS. */
export interface ClusterDns extends Component {
  /** Port on which it listens; 0 before the start. */
  readonly port: number;
}

/** As CoreDNS, it begins to answer when the API is this late; the cluster's unknown names are failures until it knows them. */
const SYNC_MILLISECONDS = 5000;
/** Tries to find a port that is free for UDP and TCP. */
const PORT_ATTEMPTS = 20;

/**
 * The cluster DNS: started, it listens over UDP and TCP, and keeps the `kube-dns` Service. Fails with `KUBE_DNS_LISTEN` when the
 * address cannot be taken and `KUBE_DNS_UPSTREAMS` for an upstream that is no address.
 */
export function createClusterDns(options: ClusterDnsOptions, environment: ClusterDnsEnvironment): ClusterDns {
  return new Dns(options, environment);
}

class Dns implements ClusterDns {
  readonly name = 'dns';
  port = 0;
  private readonly indexes: ClusterIndexes;
  private readonly keeper: ServiceKeeper;
  private readonly forwarder: Forwarder;
  private readonly resolver: Resolver;
  private readonly stopping = new AbortController();
  private udp: UdpServer | undefined;
  private tcp: TcpServer | undefined;
  private resolvConf: ResolvConf | undefined;

  constructor(
    private readonly options: ClusterDnsOptions,
    private readonly environment: ClusterDnsEnvironment,
  ) {
    const { client, informers, clock, random, log } = environment;
    const { serviceAddress, address } = options;
    const metrics = createDnsMetrics(environment.metrics);
    this.indexes = new ClusterIndexes(informers, () => clock.now());
    this.keeper = new ServiceKeeper({ client, informers, clock, log, serviceAddress, address });
    this.forwarder = new Forwarder({ clock, random, asked: (hit) => (hit ? metrics.cacheHits : metrics.cacheMisses).inc() });
    const zone = new ClusterZone(options.clusterDomain.toLowerCase(), serviceAddress, this.indexes, random);
    this.resolver = new Resolver(zone, this.forwarder, metrics, log);
  }

  async start(signal: AbortSignal): Promise<void> {
    const { informers, clock, log } = this.environment;
    const abort = (): void => this.stopping.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      const fixed = this.options.upstreams?.map(upstream);
      informers.start();
      await this.listen();
      if (fixed) this.setServers(fixed);
      else {
        this.resolvConf = new ResolvConf({ path: this.options.resolvConf ?? '/etc/resolv.conf', clock, log, changed: (servers) => this.setServers(servers) });
        await this.resolvConf.start();
      }
      if (this.stopping.signal.aborted) return this.resolvConf?.stop();
      this.keeper.start(this.port);
      const waiting = new AbortController();
      const end = (): void => waiting.abort();
      this.stopping.signal.addEventListener('abort', end, { once: true });
      await Promise.race([this.indexes.whenSynced(this.stopping.signal).catch(() => whenAborted(this.stopping.signal)), sleep(clock, SYNC_MILLISECONDS, waiting.signal)]);
      end();
      if (!this.indexes.synced && !this.stopping.signal.aborted) log.warn('cluster DNS answers although it has not got all objects of the API yet');
      log.debug('cluster DNS runs', { address: this.options.address, port: this.port });
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.resolvConf?.stop();
    this.forwarder.stop();
    await this.keeper.stop();
    this.indexes.stop();
    await Promise.all([this.udp?.close(), this.tcp?.close()]);
    this.udp = this.tcp = undefined;
  }

  /** UDP and TCP on the same port. */
  private async listen(): Promise<void> {
    const { address, port } = this.options;
    const { clock, log } = this.environment;
    for (let attempt = 1; ; attempt++) {
      const udp = (this.udp = new UdpServer(this.resolver, log));
      const tcp = (this.tcp = new TcpServer(this.resolver, clock, log));
      try {
        this.port = await tcp.listen(address, port);
        await udp.listen(address, this.port);
        return;
      } catch (error) {
        await Promise.all([udp.close(), tcp.close()]);
        this.udp = this.tcp = undefined;
        if (port === 0 && attempt < PORT_ATTEMPTS && errorCode(error) === 'EADDRINUSE') continue;
        throw new KubeError('KUBE_DNS_LISTEN', `cluster DNS cannot listen on ${address}, port ${port}: ${errorCode(error) ?? String(error)}`, { cause: error });
      }
    }
  }

  /** Without ourselves, or a question would go round for ever. */
  private setServers(servers: readonly DnsServer[]): void {
    const { address, serviceAddress } = this.options;
    const others = servers.filter((server) => !(server.address === address && server.port === this.port) && !(server.address === serviceAddress && server.port === 53));
    if (others.length < servers.length) this.environment.log.warn('cluster DNS does not ask itself for other names', { left: others.length });
    if (others.length === 0) this.environment.log.warn('cluster DNS knows no server for other names; only names of the cluster are resolved');
    this.forwarder.setServers(others);
  }
}

function upstream(text: string): DnsServer {
  const server = parseServer(text);
  if (!server) throw new KubeError('KUBE_DNS_UPSTREAMS', `upstreams: ${JSON.stringify(text)} is not an IP address with an optional port, such as 192.0.2.1:53`);
  return server;
}
