import type { V1EndpointSlice, V1Service, V1ServiceSpec } from '../../api/generated/types.js';
import type { ServiceProxyOptions } from '../options.js';

/** Settings of the proxies in tests; the addresses are those of {@link NetworkLab}. */
export const testOptions: ServiceProxyOptions = {
  table: 'kube-test-services',
  nodeName: 'node-1',
  nodeIps: ['192.168.50.1'],
  clusterCidr: '10.244.0.0/16',
  serviceClusterIpRange: '10.96.0.0/16',
  interfacePrefix: 'ktest',
};

/** A service `default/<name>` with one TCP port 80 unless `spec` says otherwise. */
export function service(name: string, clusterIP: string, spec: Partial<V1ServiceSpec> = {}, ingress: readonly string[] = []): V1Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'default', name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { type: 'ClusterIP', clusterIP, clusterIPs: [clusterIP], ports: [{ port: 80, protocol: 'TCP' }], ...spec },
    ...(ingress.length > 0 ? { status: { loadBalancer: { ingress: ingress.map((ip) => ({ ip, ipMode: 'VIP' })) } } } : {}),
  };
}

/** How an endpoint in {@link slice} stands. */
export interface TestEndpoint {
  readonly ip: string;
  readonly nodeName?: string;
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
  readonly zones?: readonly string[];
  readonly nodes?: readonly string[];
}

/** The only slice of a service `default/<name>`; a text stands for a ready endpoint on `node-1`. */
export function slice(name: string, endpoints: readonly (string | TestEndpoint)[], port: { readonly name?: string; readonly port: number; readonly protocol?: string } = { port: 8080 }): V1EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'default', name: `${name}-slice`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: port.name ?? '', port: port.port, protocol: port.protocol ?? 'TCP' }],
    endpoints: endpoints.map((endpoint) => {
      const { ip, nodeName = 'node-1', ready = true, serving = ready, terminating = false, zones, nodes }: TestEndpoint = typeof endpoint === 'string' ? { ip: endpoint } : endpoint;
      return {
        addresses: [ip],
        nodeName,
        conditions: { ready, serving, terminating },
        ...(zones || nodes ? { hints: { ...(zones ? { forZones: zones.map((zone) => ({ name: zone })) } : {}), ...(nodes ? { forNodes: nodes.map((node) => ({ name: node })) } : {}) } } : {}),
      };
    }),
  };
}
