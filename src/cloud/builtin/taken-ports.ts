import type { V1Node, V1Service } from '../../api/generated/types.js';

/**
 * Ports of the nodes' addresses that a load balancer must not take, as `80/TCP`, with who has them: services that answer
 * there already, node ports, node agents and the API server. `uid` is of the service that asks.
 */
export function takenPorts(services: readonly V1Service[], nodes: readonly V1Node[], uid: string): Map<string, string> {
  const taken = new Map<string, string>();
  const addresses = new Set(nodes.flatMap((node) => (node.status?.addresses ?? []).map(({ address }) => address)));
  for (const service of services) {
    const { metadata, spec, status } = service;
    const name = `service ${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
    const isBalanced = spec?.type === 'LoadBalancer' && (status?.loadBalancer?.ingress ?? []).some(({ ip }) => ip !== undefined && addresses.has(ip));
    for (const { port, nodePort, protocol = 'TCP' } of spec?.ports ?? []) {
      if (metadata?.uid === uid) continue;
      if (nodePort) taken.set(`${nodePort}/${protocol}`, `a node port of ${name}`);
      if (isBalanced) taken.set(`${port}/${protocol}`, name);
    }
    if (metadata?.namespace === 'default' && metadata.name === 'kubernetes') {
      for (const { targetPort } of spec?.ports ?? []) if (typeof targetPort === 'number') taken.set(`${targetPort}/TCP`, 'the API server');
    }
  }
  for (const node of nodes) {
    const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port;
    if (port) taken.set(`${port}/TCP`, `the agent of node ${node.metadata?.name ?? ''}`);
  }
  return taken;
}
