import type { Endpoint } from './endpoint.js';
import { usesClusterEndpoints, usesLocalEndpoints, type ServicePortInfo } from './service-port.js';

/** Where this node may send the traffic of a service port. */
export interface UsableEndpoints {
  /** For traffic under the policy `Cluster`. */
  readonly cluster: readonly Endpoint[];
  /** For traffic under the policy `Local`. */
  readonly local: readonly Endpoint[];
  /** Both, each endpoint once. */
  readonly reachable: readonly Endpoint[];
  /** Some endpoint is usable, on whatever node. */
  readonly any: boolean;
}

const NONE: UsableEndpoints = { cluster: [], local: [], reachable: [], any: false };

/**
 * Ready endpoints, or, where there are none, those that terminate but still serve; apart for both policies. Hints narrow
 * the cluster's endpoints to the same node, else to the same zone, if every ready endpoint has such a hint and one of
 * them points here (KEP-2433, KEP-3015).
 */
export function categorizeEndpoints(port: ServicePortInfo, endpoints: readonly Endpoint[], nodeName: string, zone: string): UsableEndpoints {
  if (endpoints.length === 0) return NONE;
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  const terminating = endpoints.filter((endpoint) => !endpoint.ready && endpoint.serving && endpoint.terminating);
  const preferred = ready.length > 0 ? hinted(ready, nodeName, zone) : terminating;
  const cluster = usesClusterEndpoints(port) ? preferred : [];
  if (!usesLocalEndpoints(port)) return { cluster, local: [], reachable: cluster, any: cluster.length > 0 };
  const localReady = ready.filter((endpoint) => endpoint.local);
  const local = localReady.length > 0 ? localReady : terminating.filter((endpoint) => endpoint.local);
  return { cluster, local, reachable: [...new Set([...cluster, ...local])], any: ready.length + terminating.length > 0 };
}

function hinted(ready: readonly Endpoint[], nodeName: string, zone: string): readonly Endpoint[] {
  if (ready.every((endpoint) => endpoint.nodes)) {
    const here = ready.filter((endpoint) => endpoint.nodes!.has(nodeName));
    if (here.length > 0) return here;
  }
  if (ready.every((endpoint) => endpoint.zones)) {
    const here = ready.filter((endpoint) => endpoint.zones!.has(zone));
    if (here.length > 0) return here;
  }
  return ready;
}
