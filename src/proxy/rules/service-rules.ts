import type { ServiceProxyOptions } from '../options.js';
import { blockContains, formatIp, parseCidr, parseIp } from '../../base/net/ip.js';
import { categorizeEndpoints } from '../model/categorize.js';
import { portKey, type Endpoint, type EndpointsByPort } from '../model/endpoint.js';
import { isExternallyAccessible, usesClusterEndpoints, usesLocalEndpoints, type ServicePortInfo } from '../model/service-port.js';
import { MASQUERADE, REJECT_CHAIN } from './base-table.js';
import { affinityNames, serviceChains, type Container } from './names.js';

/** An element of a set (no value) or of a map. */
export interface RuleElement {
  readonly container: Container;
  readonly key: string;
  /** A verdict; empty in sets. */
  readonly value: string;
}

/** What one service needs in the table; a pure function of the service, its endpoints and this node. */
export interface ServiceRules {
  readonly elements: readonly RuleElement[];
  /** Rules by chain. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** Timeout in seconds of each set that remembers clients. */
  readonly affinitySets: ReadonlyMap<string, number>;
  /** Ports whose traffic is dropped since the policy is `Local` and no endpoint is on this node. */
  readonly withoutLocalEndpoints: { readonly internal: number; readonly external: number };
}

/** What of this node matters for rules. */
export type RuleNode = Pick<ServiceProxyOptions, 'nodeName' | 'nodeIps' | 'clusterCidr'> & { readonly zone: string };

interface Draft {
  readonly elements: RuleElement[];
  readonly chains: Map<string, readonly string[]>;
  readonly affinitySets: Map<string, number>;
  readonly withoutLocalEndpoints: { internal: number; external: number };
}

/** The rules of all ports of a service, with the semantics of upstream's proxy in nftables mode. */
export function serviceRules(ports: readonly ServicePortInfo[], endpoints: EndpointsByPort, node: RuleNode): ServiceRules {
  const draft: Draft = { elements: [], chains: new Map(), affinitySets: new Map(), withoutLocalEndpoints: { internal: 0, external: 0 } };
  for (const port of ports) addPort(draft, port, endpoints.get(portKey(port.name, port.protocol)) ?? [], node);
  return draft;
}

function addPort(draft: Draft, port: ServicePortInfo, endpoints: readonly Endpoint[], node: RuleNode): void {
  const usable = categorizeEndpoints(port, endpoints, node.nodeName, node.zone);
  const chains = serviceChains(port);
  const protocol = port.protocol.toLowerCase();
  const hasInternal = usable.any && !(port.internalLocal && usable.local.length === 0);
  const hasExternal = usable.any && !(port.externalLocal && usable.local.length === 0);
  const without = usable.any ? 'drop' : `goto ${REJECT_CHAIN}`;
  if (usable.any && !hasInternal) draft.withoutLocalEndpoints.internal += 1;
  if (usable.any && !hasExternal) draft.withoutLocalEndpoints.external += 1;
  const element = (container: Container, key: string, value = ''): void => void draft.elements.push({ container, key, value });
  const destination = (ip: string): string => `${ip} . ${protocol} . ${port.port}`;

  for (const endpoint of usable.reachable) if (endpoint.local) element('hairpin-connections', `${endpoint.ip} . ${endpoint.ip} . ${protocol} . ${endpoint.port}`);
  element('cluster-ips', port.clusterIp);
  if (hasInternal) element('service-ips', destination(port.clusterIp), `goto ${port.internalLocal ? chains.local : chains.cluster}`);
  else element('no-endpoint-services', destination(port.clusterIp), without);
  const firewalled = port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0;
  for (const ip of new Set([...port.externalIps, ...port.loadBalancerIps])) {
    if (usable.any) element('service-ips', destination(ip), `goto ${chains.external}`);
    if (!hasExternal) element('no-endpoint-services', destination(ip), without);
  }
  if (firewalled) for (const ip of port.loadBalancerIps) element('firewall-ips', destination(ip), `goto ${chains.firewall}`);
  if (port.nodePort !== 0) {
    const key = `${protocol} . ${port.nodePort}`;
    if (usable.any) element('service-nodeports', key, `goto ${chains.external}`);
    if (!hasExternal) element('no-endpoint-nodeports', key, without);
  }

  if (usable.any && isExternallyAccessible(port)) draft.chains.set(chains.external, externalRules(port, hasExternal, node));
  if (firewalled) draft.chains.set(chains.firewall, [firewallRule(port, node)]);
  if (usable.cluster.length > 0 && usesClusterEndpoints(port)) draft.chains.set(chains.cluster, policyRules(port, usable.cluster));
  if (usable.local.length > 0 && usesLocalEndpoints(port)) draft.chains.set(chains.local, policyRules(port, usable.local));
  if (port.affinitySeconds > 0) {
    for (const endpoint of usable.reachable) {
      const { chain, set } = affinityNames(port, endpoint);
      draft.affinitySets.set(set, port.affinitySeconds);
      draft.chains.set(chain, [`update @${set} { ip saddr }`, `meta l4proto ${protocol} dnat to ${endpoint.ip}:${endpoint.port}`]);
    }
  }
}

/** Rules for what comes by node port, external or load-balancer address. */
function externalRules(port: ServicePortInfo, hasExternal: boolean, node: RuleNode): readonly string[] {
  const { cluster, local } = serviceChains(port);
  // The endpoint may be on another node, so that the answer has to come back through this one.
  if (!port.externalLocal) return [MASQUERADE, `goto ${cluster}`];
  // What begins in the cluster is bound by neither policy, as if it had gone out to a load balancer and come back.
  return [
    ...(parseCidr(node.clusterCidr)?.family === 4 ? [`ip saddr ${node.clusterCidr} goto ${cluster}`] : []),
    `fib saddr type local ${MASQUERADE}`,
    `fib saddr type local goto ${cluster}`,
    ...(hasExternal ? [`goto ${local}`] : []),
  ];
}

function firewallRule(port: ServicePortInfo, node: RuleNode): string {
  const ranges = port.sourceRanges.map((range) => `${formatIp({ family: 4, value: range.first })}/${range.prefixLength}`);
  const allows = (ip: string): boolean => {
    const address = parseIp(ip);
    return address !== undefined && port.sourceRanges.some((range) => blockContains(range, address));
  };
  // Where the load balancer's address is the node's own, the node calls itself from that address.
  const own = allows(node.nodeIps[0] ?? '') ? port.loadBalancerIps.filter((ip) => !allows(ip)) : [];
  return `ip saddr != { ${[...ranges, ...own].join(', ')} } drop`;
}

function policyRules(port: ServicePortInfo, endpoints: readonly Endpoint[]): readonly string[] {
  const random = `numgen random mod ${endpoints.length}`;
  if (port.affinitySeconds === 0) {
    const targets = endpoints.map((endpoint, i) => `${i} : ${endpoint.ip} . ${endpoint.port}`);
    return [`meta l4proto ${port.protocol.toLowerCase()} dnat ip addr . port to ${random} map { ${targets.join(', ')} }`];
  }
  const names = endpoints.map((endpoint) => affinityNames(port, endpoint));
  return [
    ...names.map(({ chain, set }) => `ip saddr @${set} goto ${chain}`),
    `${random} vmap { ${names.map(({ chain }, i) => `${i} : goto ${chain}`).join(', ')} }`,
  ];
}
