import type { Answer } from 'dns-packet';
import { parseIp } from '../../base/net/ip.js';
import type { Random } from '../../base/random.js';
import { RCODE, TYPE } from '../message/constants.js';
import type { ZoneAnswer } from '../message/answer.js';
import type { Query } from '../message/query.js';
import { clusterAddresses, isHeadless, type ClusterIndexes } from './indexes.js';
import { isBelow, parseClusterName, podAddress, reverseAddress } from './names.js';

/** Seconds that answers may be kept, also the negative ones (CoreDNS' `ttl 30` of kubeadm). */
const TTL = 30;
const VERSION_TTL = 28_800;
/** Version of the DNS specification that is followed. */
const SCHEMA_VERSION = '1.1.0';
/** Longest chain of aliases inside the zone. */
const LONGEST_CHAIN = 8;

/** One address, or one alias, behind a name. */
interface Found {
  /** Address, or the name that an ExternalName service stands for. */
  readonly host: string;
  readonly port: number;
  /** Name that SRV records point to. */
  readonly target: string;
}

/** What the zone knows about a name; `external` is a name outside, of which the answer lacks the addresses. */
export interface ZoneResult extends ZoneAnswer {
  readonly external?: string;
}

/**
 * The cluster domain, as CoreDNS' `kubernetes` plugin answers with kubeadm's settings (`pods insecure`), and the reverse names of
 * services and endpoints.
 */
export class ClusterZone {
  constructor(
    /** Lower case, without a dot at the end. */
    private readonly domain: string,
    private readonly serviceAddress: string,
    private readonly indexes: ClusterIndexes,
    private readonly random: Random,
  ) {}

  contains(name: string): boolean {
    return isBelow(name, this.domain);
  }

  /** Names of an address, for reverse questions; undefined when it is no address of ours, and others have to be asked. */
  reverse(query: Query): ZoneAnswer | undefined {
    if (query.type !== TYPE.PTR) return undefined;
    const ip = reverseAddress(query.name);
    if (ip === undefined) return undefined;
    const services = this.indexes.servicesByAddress(ip);
    const names = services.length > 0 ? [`${services[0]!.metadata?.name}.${services[0]!.metadata?.namespace}`] : this.indexes.endpointNamesByAddress(ip);
    if (names.length === 0) return undefined;
    return { rcode: RCODE.NOERROR, answers: names.map((name) => ({ type: 'PTR', name: query.spelled, ttl: TTL, data: `${name}.svc.${this.domain}` })) };
  }

  /** Answer to a question about a name in the cluster domain. */
  answer(query: Query): ZoneResult {
    switch (query.type) {
      case TYPE.A:
      case TYPE.AAAA:
        return this.addresses(query);
      case TYPE.SRV:
        return this.srv(query);
      case TYPE.TXT:
        return this.success(query.name === `dns-version.${this.domain}` ? [{ type: 'TXT', name: query.spelled, ttl: VERSION_TTL, data: SCHEMA_VERSION }] : []);
      case TYPE.SOA:
        return query.name === this.domain ? this.success([this.soa()]) : this.existence(query);
      case TYPE.NS:
        return query.name === this.domain ? this.nameServer(query) : this.existence(query);
      case TYPE.CNAME:
        return this.alias(query);
      default:
        return this.existence(query);
    }
  }

  private addresses(query: Query): ZoneResult {
    const type = query.type === TYPE.A ? 'A' : 'AAAA';
    const answers: Answer[] = [];
    let name = query.spelled;
    let found = this.find(query.name);
    const visited = new Set([query.name]);
    for (;;) {
      if (!found) return answers.length === 0 ? this.failure(RCODE.NXDOMAIN) : this.success([]);
      const alias = found.find(({ host }) => !parseIp(host));
      if (!alias) break;
      const target = alias.host.replace(/\.$/, '').toLowerCase();
      if (visited.has(target) || answers.length >= LONGEST_CHAIN) return this.success([]);
      visited.add(target);
      answers.push({ type: 'CNAME', name, ttl: TTL, data: alias.host });
      if (!this.contains(target)) return { rcode: RCODE.NOERROR, answers, external: target };
      name = alias.host;
      found = this.find(target);
    }
    const hosts = [...new Set(found.map(({ host }) => host))].filter((host) => host.includes(':') === (type === 'AAAA'));
    // An alias whose target has no such address is as good as none.
    if (hosts.length === 0) return this.success([]);
    return this.success([...answers, ...this.shuffled(hosts).map((data): Answer => ({ type, name, ttl: TTL, data }))]);
  }

  private srv(query: Query): ZoneResult {
    const found = this.find(query.name)?.filter(({ host }) => parseIp(host));
    if (!found) return this.failure(RCODE.NXDOMAIN);
    const weight = Math.max(1, Math.floor(100 / found.length));
    const answers = new Map<string, Answer>();
    const additionals = new Map<string, Answer>();
    for (const { host, port, target } of found) {
      if (port === -1) continue;
      answers.set(`${target}:${port}`, { type: 'SRV', name: query.spelled, ttl: TTL, data: { priority: 0, weight, port, target } });
      additionals.set(`${target}/${host}`, { type: host.includes(':') ? 'AAAA' : 'A', name: target, ttl: TTL, data: host });
    }
    return { ...this.success([...answers.values()]), additionals: [...additionals.values()] };
  }

  private alias(query: Query): ZoneResult {
    const found = this.find(query.name);
    if (!found) return this.failure(RCODE.NXDOMAIN);
    const alias = found[0] && !parseIp(found[0].host) ? found[0].host : undefined;
    return this.success(alias === undefined ? [] : [{ type: 'CNAME', name: query.spelled, ttl: TTL, data: alias }]);
  }

  private nameServer(query: Query): ZoneResult {
    const name = `kube-dns.kube-system.svc.${this.domain}`;
    const type = this.serviceAddress.includes(':') ? 'AAAA' : 'A';
    return { ...this.success([{ type: 'NS', name: query.spelled, ttl: TTL, data: name }]), additionals: [{ type, name, ttl: TTL, data: this.serviceAddress }] };
  }

  /** For types that nobody has here: whether there is such a name at all. */
  private existence(query: Query): ZoneResult {
    return this.find(query.name) ? this.success([]) : this.failure(RCODE.NXDOMAIN);
  }

  private success(answers: readonly Answer[]): ZoneResult {
    return answers.length > 0 ? { rcode: RCODE.NOERROR, answers } : this.failure(RCODE.NOERROR);
  }

  /** Without records the SOA record tells for how long. */
  private failure(rcode: number): ZoneResult {
    if (!this.indexes.synced && rcode !== RCODE.NOERROR) return { rcode: RCODE.SERVFAIL, answers: [] };
    return { rcode, answers: [], authorities: [this.soa()] };
  }

  private soa(): Answer {
    const { domain } = this;
    return {
      type: 'SOA', name: domain, ttl: TTL,
      data: { mname: `ns.dns.${domain}`, rname: `hostmaster.${domain}`, serial: this.indexes.serial, refresh: 7200, retry: 1800, expire: 86_400, minimum: TTL },
    };
  }

  /** Everything behind a name; empty: the name exists and has nothing; undefined: there is no such name. */
  private find(name: string): readonly Found[] | undefined {
    if (name === `ns.dns.${this.domain}`) return [{ host: this.serviceAddress, port: -1, target: name }];
    const parsed = parseClusterName(name === this.domain ? '' : name.slice(0, -this.domain.length - 1));
    if (!parsed) return undefined;
    if (parsed === 'apex' || parsed.namespace === undefined) return [];
    if (!this.indexes.hasNamespace(parsed.namespace)) return undefined;
    if (parsed.name === undefined) return [];
    if (parsed.kind === 'pod') {
      const host = podAddress(parsed.name);
      return host === undefined ? undefined : [{ host, port: -1, target: name }];
    }
    const found = this.findService(parsed.namespace, parsed.name, parsed);
    return found.length > 0 ? found : undefined;
  }

  private findService(namespace: string, name: string, wanted: { readonly endpoint?: string; readonly port?: string; readonly protocol?: string }): Found[] {
    const service = this.indexes.service(namespace, name);
    if (!service) return [];
    const target = `${name}.${namespace}.svc.${this.domain}`;
    const matches = (port: string, protocol: string): boolean =>
      (!wanted.port || wanted.port === port.toLowerCase()) && (!wanted.protocol || wanted.protocol === protocol.toLowerCase());
    const found: Found[] = [];
    if (service.spec?.type === 'ExternalName') {
      const host = service.spec.externalName ?? '';
      if (wanted.endpoint === undefined && host !== '' && !parseIp(host)) found.push({ host, port: -1, target });
    } else if (isHeadless(service) || wanted.endpoint !== undefined) {
      for (const { ip, hostname, ports } of this.indexes.endpoints(namespace, name)) {
        if (wanted.endpoint !== undefined && hostname.toLowerCase() !== wanted.endpoint) continue;
        for (const { name: port, protocol, port: number } of ports) if (matches(port, protocol)) found.push({ host: ip, port: number, target: `${hostname}.${target}` });
      }
    } else {
      for (const { name: port = '', protocol = 'TCP', port: number } of service.spec?.ports ?? []) {
        if (matches(port, protocol)) for (const host of clusterAddresses(service)) found.push({ host, port: number, target });
      }
    }
    return found;
  }

  /** In another order each time, as CoreDNS' `loadbalance` does: clients take the first. */
  private shuffled(hosts: readonly string[]): string[] {
    const order = [...hosts];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(this.random.float() * (i + 1));
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    return order;
  }
}
