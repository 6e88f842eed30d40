import type { DiscoveryV1EndpointPort, V1Endpoint, V1Node, V1Pod, V1Service } from '../../api/generated/types.js';
import { resolveContainerPort } from '../../api/helpers/pod-containers.js';
import { isPodReady, isPodTerminal } from '../../api/helpers/pod-state.js';
import type { EndpointGroup } from './slice-plan.js';

const ZONE = 'topology.kubernetes.io/zone';

/** The groups of endpoints that a service's pods make, one per address type and set of resolved ports. */
export function endpointGroups(service: V1Service, pods: readonly V1Pod[], nodeOf: (name: string) => V1Node | undefined): EndpointGroup[] {
  const groups = new Map<string, { addressType: string; ports: readonly DiscoveryV1EndpointPort[]; endpoints: V1Endpoint[] }>();
  const families = service.spec?.ipFamilies ?? ['IPv4'];
  for (const addressType of families) {
    for (const pod of pods) {
      if (isPodTerminal(pod)) continue;
      const addresses = podAddresses(pod, addressType);
      if (addresses.length === 0) continue;
      const ports = resolvePorts(service, pod);
      const key = `${addressType} ${ports.map((port) => `${port.name}|${port.port}|${port.protocol}`).join(' ')}`;
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { addressType, ports, endpoints: [] }));
      group.endpoints.push(endpointOf(service, pod, addresses, nodeOf(pod.spec?.nodeName ?? '')));
    }
    if (![...groups.values()].some((group) => group.addressType === addressType)) groups.set(addressType, { addressType, ports: [], endpoints: [] });
  }
  return [...groups.values()];
}

function podAddresses(pod: V1Pod, addressType: string): string[] {
  const all = pod.status?.podIPs?.map(({ ip }) => ip) ?? (pod.status?.podIP ? [pod.status.podIP] : []);
  return all.filter((ip) => (addressType === 'IPv6') === ip.includes(':')).slice(0, 1);
}

/** The service's ports with the pod's own numbers; a port that the pod does not have is left out. */
export function resolvePorts(service: V1Service, pod: V1Pod): DiscoveryV1EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((servicePort) => {
    const protocol = servicePort.protocol ?? 'TCP';
    const port = resolveContainerPort(pod, servicePort.targetPort ?? servicePort.port, protocol);
    return port === undefined ? [] : [{ name: servicePort.name ?? '', port, protocol, ...(servicePort.appProtocol ? { appProtocol: servicePort.appProtocol } : {}) }];
  });
}

function endpointOf(service: V1Service, pod: V1Pod, addresses: readonly string[], node: V1Node | undefined): V1Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata?.deletionTimestamp !== undefined;
  const zone = node?.metadata?.labels?.[ZONE];
  const ready = (service.spec?.publishNotReadyAddresses ?? false) || (serving && !terminating);
  const { namespace, name, uid } = pod.metadata ?? {};
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(pod.spec?.hostname && pod.spec.subdomain === service.metadata?.name ? { hostname: pod.spec.hostname } : {}),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
    ...hintsFor(service, zone, pod.spec?.nodeName, ready),
    targetRef: { kind: 'Pod', ...(namespace ? { namespace } : {}), ...(name ? { name } : {}), ...(uid ? { uid } : {}) },
  };
}

/** `spec.trafficDistribution`: each endpoint is for its own zone (and node). */
function hintsFor(service: V1Service, zone: string | undefined, nodeName: string | undefined, ready: boolean): Pick<V1Endpoint, 'hints'> {
  const distribution = service.spec?.trafficDistribution;
  if (!distribution || !ready) return {};
  const forZones = zone ? { forZones: [{ name: zone }] } : {};
  const forNodes = distribution === 'PreferSameNode' && nodeName ? { forNodes: [{ name: nodeName }] } : {};
  return zone || 'forNodes' in forNodes ? { hints: { ...forZones, ...forNodes } } : {};
}
