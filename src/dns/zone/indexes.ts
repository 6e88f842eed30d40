import type { V1EndpointSlice, V1Namespace, V1Service } from '../../api/generated/types.js';
import { ENDPOINT_SLICES, NAMESPACES, SERVICES } from '../../api/resource-refs.js';
import { formatIp, parseIp } from '../../base/net/ip.js';
import type { Informer, InformerFactory } from '../../client/index.js';

/** One ready address of a service. */
export interface EndpointAddress {
  readonly ip: string;
  /** The endpoint's own name, or its address with dashes. */
  readonly hostname: string;
  readonly ports: readonly EndpointPortEntry[];
}

/** A port of an endpoint; -1 stands for "none declared". */
export interface EndpointPortEntry {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
}

const SERVICE_NAME = 'kubernetes.io/service-name';
const BY_SERVICE = 'dns/service';
const BY_ADDRESS = 'dns/address';
const NO_PORTS: readonly EndpointPortEntry[] = [{ name: '', protocol: '', port: -1 }];

/** The cluster's objects as DNS looks them up; kept by the informers, one map access per question. */
export class ClusterIndexes {
  private readonly services: Informer<V1Service>;
  private readonly slices: Informer<V1EndpointSlice>;
  private readonly namespaces: Informer<V1Namespace>;
  private readonly endings: (() => void)[] = [];
  /** Unix seconds of the last change, the serial of the zone. */
  serial: number;

  /** Must be made before `informers` start. */
  constructor(informers: InformerFactory, nowMilliseconds: () => number) {
    this.services = informers.informer(SERVICES);
    this.slices = informers.informer(ENDPOINT_SLICES);
    this.namespaces = informers.informer(NAMESPACES);
    this.services.addIndex(BY_ADDRESS, serviceAddresses);
    this.slices.addIndex(BY_SERVICE, (slice) => [sliceService(slice)]);
    this.slices.addIndex(BY_ADDRESS, (slice) => [...new Set(readyAddresses(slice).map(({ ip }) => ip))]);
    const touch = (): void => {
      this.serial = Math.floor(nowMilliseconds() / 1000);
    };
    this.serial = Math.floor(nowMilliseconds() / 1000);
    this.endings.push(this.services.addHandler({ add: touch, update: touch, delete: touch }), this.slices.addHandler({ add: touch, update: touch, delete: touch }));
  }

  get synced(): boolean {
    return this.services.synced && this.slices.synced && this.namespaces.synced;
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    await Promise.all([this.services.whenSynced(signal), this.slices.whenSynced(signal), this.namespaces.whenSynced(signal)]);
  }

  stop(): void {
    for (const end of this.endings.splice(0)) end();
  }

  hasNamespace(name: string): boolean {
    return this.namespaces.get('', name) !== undefined;
  }

  service(namespace: string, name: string): V1Service | undefined {
    return this.services.get(namespace, name);
  }

  /** Ready endpoints; those that publish not-ready addresses are marked ready in their slices. */
  endpoints(namespace: string, service: string): EndpointAddress[] {
    return this.slices.byIndex(BY_SERVICE, `${namespace}/${service}`).flatMap(readyAddresses);
  }

  /** Services with this cluster or external address. */
  servicesByAddress(ip: string): readonly V1Service[] {
    return this.services.byIndex(BY_ADDRESS, ip);
  }

  /** `HOSTNAME.SERVICE.NAMESPACE` of the ready endpoints with this address. */
  endpointNamesByAddress(ip: string): string[] {
    const names = new Set<string>();
    for (const slice of this.slices.byIndex(BY_ADDRESS, ip)) {
      const service = slice.metadata?.labels?.[SERVICE_NAME];
      if (!service) continue;
      for (const address of readyAddresses(slice)) if (address.ip === ip) names.add(`${address.hostname}.${service}.${slice.metadata?.namespace ?? ''}`);
    }
    return [...names];
  }
}

/** Whether a service has no address of its own, but is not an alias either. */
export function isHeadless(service: V1Service): boolean {
  return service.spec?.clusterIP === 'None';
}

/** Addresses in the one form in which they are compared. */
function canonical(ip: string): string {
  const address = ip.includes(':') ? parseIp(ip) : undefined;
  return address ? formatIp(address) : ip;
}

/** The cluster addresses of a service; none for headless ones. */
export function clusterAddresses(service: V1Service): string[] {
  const { clusterIP, clusterIPs = clusterIP ? [clusterIP] : [] } = service.spec ?? {};
  return clusterIPs.filter((ip) => ip !== 'None' && ip !== '').map(canonical);
}

function serviceAddresses(service: V1Service): string[] {
  return [...clusterAddresses(service), ...(service.spec?.externalIPs ?? []).map(canonical)];
}

function sliceService(slice: V1EndpointSlice): string {
  return `${slice.metadata?.namespace ?? ''}/${slice.metadata?.labels?.[SERVICE_NAME] ?? ''}`;
}

function readyAddresses(slice: V1EndpointSlice): EndpointAddress[] {
  if (slice.addressType === 'FQDN') return [];
  const ports = slice.ports && slice.ports.length > 0 ? slice.ports.map(({ name, protocol, port }) => ({ name: name ?? '', protocol: protocol ?? 'TCP', port: port ?? -1 })) : NO_PORTS;
  const addresses: EndpointAddress[] = [];
  for (const endpoint of slice.endpoints ?? []) {
    if (endpoint.conditions?.ready === false) continue;
    for (const address of endpoint.addresses) {
      const ip = canonical(address);
      addresses.push({ ip, hostname: endpoint.hostname || ip.replace(/[.:]/g, '-'), ports });
    }
  }
  return addresses;
}
