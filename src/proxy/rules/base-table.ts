import type { ServiceProxyOptions } from '../options.js';
import { parseCidr } from '../../base/net/ip.js';

/** The bit of the packet mark that asks for masquerading: bit 14, upstream's default. */
const MASQUERADE_MARK = '0x00004000';

/** Sets the bit. */
export const MASQUERADE = `mark set mark or ${MASQUERADE_MARK}`;

/** Refuses a packet; verdicts of maps go to it. */
export const REJECT_CHAIN = 'reject-chain';

/** The part of the table that does not depend on any service. */
export interface BaseTable {
  /** Declarations of sets and maps: `map service-ips { … }`. */
  readonly containers: readonly string[];
  /** Chains with the declaration of their hook, if they have one. */
  readonly chains: readonly { readonly name: string; readonly hook?: string; readonly rules: readonly string[] }[];
}

/** Sets, maps and chains in which the kernel looks before it comes to a single service; upstream's names and order. */
export function baseTable(options: ServiceProxyOptions): BaseTable {
  const destination = 'ip daddr . meta l4proto . th dport';
  const verdicts = 'type ipv4_addr . inet_proto . inet_service : verdict';
  const portVerdicts = 'type inet_proto . inet_service : verdict';
  const local = parseCidr(options.clusterCidr)?.family === 4 ? options.clusterCidr : undefined;
  return {
    containers: [
      'set cluster-ips { type ipv4_addr; comment "Active ClusterIPs"; }',
      `set nodeport-ips { type ipv4_addr; comment "IPs that accept NodePort traffic"; ${nodePortIps(options)}}`,
      `map service-ips { ${verdicts}; comment "ClusterIP, ExternalIP and LoadBalancer IP traffic"; }`,
      `map service-nodeports { ${portVerdicts}; comment "NodePort traffic"; }`,
      `map no-endpoint-services { ${verdicts}; comment "Services without endpoints: drop or reject"; }`,
      `map no-endpoint-nodeports { ${portVerdicts}; comment "Node ports without endpoints: drop or reject"; }`,
      `map firewall-ips { ${verdicts}; comment "Destinations with LoadBalancerSourceRanges"; }`,
      'set hairpin-connections { type ipv4_addr . ipv4_addr . inet_proto . inet_service; comment "Endpoints of this node that reach themselves"; }',
    ],
    chains: [
      // ICMP errors are limited in their rate, resets are not: connections end at once.
      { name: REJECT_CHAIN, rules: ['meta l4proto tcp reject with tcp reset', 'reject'] },
      { name: 'service-endpoints-check', rules: [`${destination} vmap @no-endpoint-services`] },
      { name: 'nodeport-endpoints-check', rules: ['ip daddr @nodeport-ips meta l4proto . th dport vmap @no-endpoint-nodeports'] },
      {
        name: 'cluster-ips-check',
        rules: [
          `ip daddr @cluster-ips goto ${REJECT_CHAIN} comment "Reject traffic to invalid ports of ClusterIPs"`,
          `ip daddr ${options.serviceClusterIpRange} drop comment "Drop traffic to unallocated ClusterIPs"`,
        ],
      },
      { name: 'firewall-check', rules: [`${destination} vmap @firewall-ips`] },
      {
        name: 'services',
        rules: [
          // A route to the service range may lead to any node, and the endpoint may be on another one: answers have to come back here.
          ...(local === undefined ? [] : [`ip daddr @cluster-ips ip saddr != ${local} ${MASQUERADE}`]),
          `${destination} vmap @service-ips`,
          'ip daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports',
        ],
      },
      {
        name: 'masquerading',
        rules: [
          `mark and ${MASQUERADE_MARK} != 0 mark set mark xor ${MASQUERADE_MARK} masquerade fully-random`,
          'ct status dnat ip saddr . ip daddr . meta l4proto . th dport @hairpin-connections masquerade fully-random',
        ],
      },
      // Source ranges are about the address before it is translated.
      { name: 'filter-prerouting-pre-dnat', hook: 'type filter hook prerouting priority dstnat - 10', rules: ['ct state new jump firewall-check'] },
      { name: 'filter-output-pre-dnat', hook: 'type filter hook output priority -110', rules: ['ct state new jump firewall-check'] },
      { name: 'filter-input', hook: 'type filter hook input priority filter', rules: ['ct state new jump nodeport-endpoints-check', 'ct state new jump service-endpoints-check'] },
      { name: 'filter-forward', hook: 'type filter hook forward priority filter', rules: ['ct state new jump service-endpoints-check', 'ct state new jump cluster-ips-check'] },
      { name: 'filter-output', hook: 'type filter hook output priority filter', rules: ['ct state new jump service-endpoints-check', 'ct state new jump cluster-ips-check'] },
      { name: 'nat-prerouting', hook: 'type nat hook prerouting priority dstnat', rules: ['jump services'] },
      { name: 'nat-output', hook: 'type nat hook output priority -100', rules: ['jump services'] },
      { name: 'nat-postrouting', hook: 'type nat hook postrouting priority srcnat', rules: ['jump masquerading'] },
    ],
  };
}

function nodePortIps({ nodeIps }: ServiceProxyOptions): string {
  const addresses = nodeIps.filter((ip) => parseCidr(`${ip}/32`)?.family === 4);
  return addresses.length > 0 ? `elements = { ${addresses.join(', ')} }; ` : '';
}

/** How many addresses answer on node ports. */
export function nodePortIpCount(options: ServiceProxyOptions): number {
  return new Set(options.nodeIps.filter((ip) => parseCidr(`${ip}/32`)?.family === 4)).size;
}
