import type { V1Service, V1ServicePort } from '../../api/generated/types.js';
import { formatIp, parseCidr, parseIp, type IpBlock } from '../../base/net/ip.js';

const PROXY_NAME = 'service.kubernetes.io/service-proxy-name';
const DEFAULT_AFFINITY_SECONDS = 10_800;

/** One port of a service, with everything that decides where its traffic goes. */
export interface ServicePortInfo {
  readonly namespace: string;
  readonly service: string;
  /** Empty where the service has a single port without a name. */
  readonly name: string;
  /** As in the API: `TCP`, `UDP` or `SCTP`. */
  readonly protocol: string;
  readonly clusterIp: string;
  readonly port: number;
  /** 0: none. */
  readonly nodePort: number;
  readonly externalIps: readonly string[];
  /** Addresses of load balancers that hand packets over as they came. */
  readonly loadBalancerIps: readonly string[];
  /** Empty: everybody may come through the load balancer's addresses. */
  readonly sourceRanges: readonly IpBlock[];
  /** Seconds for which a client stays with its endpoint; 0: no affinity. */
  readonly affinitySeconds: number;
  readonly internalLocal: boolean;
  readonly externalLocal: boolean;
}

/** The proxy leaves it to others, or it has no address of its own. */
export function isIgnoredService(service: V1Service): boolean {
  const { spec, metadata } = service;
  return spec?.type === 'ExternalName' || !spec?.clusterIP || spec.clusterIP === 'None' || metadata?.labels?.[PROXY_NAME] !== undefined;
}

/** The ports of a service that this proxy serves; none for an ignored service or one without an IPv4 address. */
export function servicePorts(service: V1Service): readonly ServicePortInfo[] {
  if (isIgnoredService(service)) return [];
  const spec = service.spec!;
  const [clusterIp] = ipv4s([spec.clusterIP!, ...(spec.clusterIPs ?? [])]);
  if (clusterIp === undefined) return [];
  const externallyReachable = spec.type === 'NodePort' || spec.type === 'LoadBalancer' || (spec.externalIPs?.length ?? 0) > 0;
  const shared = {
    namespace: service.metadata?.namespace ?? '',
    service: service.metadata?.name ?? '',
    clusterIp,
    externalIps: ipv4s(spec.externalIPs ?? []),
    loadBalancerIps: ipv4s((service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, ipMode }) => (ip !== undefined && (ipMode ?? 'VIP') === 'VIP' ? [ip] : []))),
    sourceRanges: sourceRanges(spec.loadBalancerSourceRanges ?? []),
    affinitySeconds: spec.sessionAffinity === 'ClientIP' ? spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS : 0,
    internalLocal: spec.internalTrafficPolicy === 'Local',
    externalLocal: externallyReachable && spec.externalTrafficPolicy === 'Local',
  };
  return (spec.ports ?? []).map((port: V1ServicePort) => ({ ...shared, name: port.name ?? '', protocol: port.protocol ?? 'TCP', port: port.port, nodePort: port.nodePort ?? 0 }));
}

/** Port on which the node tells whether it has endpoints of the service; 0: none. */
export function healthCheckNodePort(service: V1Service): number {
  const { spec } = service;
  return !isIgnoredService(service) && spec?.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local' ? spec.healthCheckNodePort ?? 0 : 0;
}

/** Reachable in another way than by its cluster address. */
export function isExternallyAccessible(port: ServicePortInfo): boolean {
  return port.nodePort !== 0 || port.loadBalancerIps.length > 0 || port.externalIps.length > 0;
}

/**
 * Some of its traffic may go to any endpoint of the cluster. That holds for each port that is reachable from outside, since
 * what begins on the node itself is never bound by the external traffic policy.
 */
export function usesClusterEndpoints(port: ServicePortInfo): boolean {
  return !port.internalLocal || isExternallyAccessible(port);
}

/** Some of its traffic stays on the node. */
export function usesLocalEndpoints(port: ServicePortInfo): boolean {
  return port.internalLocal || (port.externalLocal && isExternallyAccessible(port));
}

function ipv4s(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => {
    const address = parseIp(text);
    return address?.family === 4 ? [formatIp(address)] : [];
  }))];
}

/** Ranges that lie in others are left out, as nftables takes no overlaps; a range of everything means no limit. */
function sourceRanges(texts: readonly string[]): readonly IpBlock[] {
  const blocks = texts.flatMap((text) => {
    // Validation has always let blanks around a range pass.
    const block = parseCidr(text.trim());
    return block?.family === 4 ? [block] : [];
  });
  if (blocks.some((block) => block.prefixLength === 0)) return [];
  return blocks.filter((block, i) => !blocks.some((other, j) => i !== j && contains(other, block) && (j < i || !contains(block, other))));
}

function contains(outer: IpBlock, inner: IpBlock): boolean {
  return outer.first <= inner.first && outer.last >= inner.last;
}
