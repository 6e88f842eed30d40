import type { V1Endpoints, V1EndpointSlice, V1Service, V1ServiceCIDR } from '../../api/generated/types.js';
import { ENDPOINT_SLICES, ENDPOINTS, SERVICE_CIDRS, SERVICES } from '../../api/resource-refs.js';
import { blockContains, formatIp, parseCidr, parseIp } from '../../base/net/ip.js';
import type { PostStartHook, ServerContext } from '../server-context.js';
import { createIfAbsent, ensure } from './ensure.js';
import { timestamp } from '../../api/meta/timestamp.js';
import { covers } from './covers.js';
import { ServerAddresses } from './server-addresses.js';

const NAME = 'kubernetes';
const NAMESPACE = 'default';
const PORT_NAME = 'https';

/** The first address of the service range: the API server's own service. Empty when the range is malformed. */
function kubernetesServiceIp(range: string): string {
  const block = parseCidr(range.split(',')[0]!.trim());
  return block ? formatIp({ family: block.family, value: block.first + 1n }) : '';
}

/** The ServiceCIDR `kubernetes` that stands for the range the server was started with. */
export const defaultServiceCidr: PostStartHook = {
  name: 'start-kubernetes-service-cidr-controller',
  run: async (context) => {
    const wanted: V1ServiceCIDR = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: NAME },
      spec: { cidrs: context.options.serviceClusterIpRange.split(',').map((range) => range.trim()) },
    };
    const stored = await createIfAbsent(context, SERVICE_CIDRS, wanted);
    if (!stored || stored.status?.conditions?.some((condition) => condition.type === 'Ready')) return;
    const lastTransitionTime = timestamp(context.clock.now());
    const ready = { type: 'Ready', status: 'True', message: 'Kubernetes default Service CIDR is ready', lastTransitionTime };
    const applied = { apiVersion: wanted.apiVersion, kind: wanted.kind, metadata: { name: NAME }, status: { conditions: [ready] } };
    await context.loopback.resource(SERVICE_CIDRS).patch('', NAME, 'apply', applied, 'status', { fieldManager: 'kubernetes-service-cidr-controller', force: true });
  },
};

/** The service `kubernetes`, its endpoints and their slice. */
export const kubernetesService: PostStartHook = {
  name: 'bootstrap-controller',
  run: async (context, signal) => {
    await ensureService(context);
    const address = context.options.advertiseAddress;
    const parsed = parseIp(address);
    const loopback = parsed !== undefined && LOOPBACKS.some((block) => blockContains(block, parsed));
    if (loopback || !parsed) {
      context.log.warn('the kubernetes service has no endpoints: the advertised address cannot be reached from pods', { address });
      return;
    }
    const port = context.listeningPort?.() ?? context.options.securePort;
    const addresses = new ServerAddresses(context, address);
    const write = async (ips: readonly string[]): Promise<void> => {
      await Promise.all([ensureEndpoints(context, ips, port), ensureSlice(context, ips, parsed.family, port)]);
    };
    await write(await addresses.renew());
    void addresses.keep(write, signal);
  },
};

const LOOPBACKS = ['127.0.0.0/8', '::1/128'].map((text) => parseCidr(text)!);

async function ensureService(context: ServerContext): Promise<void> {
  const targetPort = context.listeningPort?.() ?? context.options.securePort;
  const ports = [{ name: PORT_NAME, protocol: 'TCP', port: 443, targetPort }];
  const wanted: V1Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: NAME, namespace: NAMESPACE, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { clusterIP: kubernetesServiceIp(context.options.serviceClusterIpRange), ipFamilyPolicy: 'SingleStack', sessionAffinity: 'None', type: 'ClusterIP', ports },
  };
  await ensure(context, SERVICES, wanted, (stored) => (covers(stored.spec?.ports, ports) ? undefined : { ...stored, spec: { ...stored.spec, ports } }));
}

async function ensureEndpoints(context: ServerContext, ips: readonly string[], port: number): Promise<void> {
  const subsets = [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: PORT_NAME, port, protocol: 'TCP' }] }];
  const wanted: V1Endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: NAME, namespace: NAMESPACE, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets,
  };
  await ensure(context, ENDPOINTS, wanted, (stored) =>
    covers(stored.subsets, subsets) && stored.subsets?.[0]?.addresses?.length === ips.length ? undefined : { ...stored, subsets });
}

async function ensureSlice(context: ServerContext, ips: readonly string[], family: 4 | 6, port: number): Promise<void> {
  const endpoints = ips.filter((ip) => parseIp(ip)?.family === family).map((ip) => ({ addresses: [ip], conditions: { ready: true } }));
  const ports = [{ name: PORT_NAME, port, protocol: 'TCP' }];
  const wanted: V1EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: NAME, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: `IPv${family}`,
    endpoints,
    ports,
  };
  await ensure(context, ENDPOINT_SLICES, wanted, (stored) =>
    covers(stored.endpoints, endpoints) && stored.endpoints?.length === endpoints.length && covers(stored.ports, ports) ? undefined : { ...stored, endpoints, ports });
}
