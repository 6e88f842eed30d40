import type { CoreV1EndpointPort, V1EndpointAddress, V1EndpointSubset, V1Pod, V1Service } from '../../api/generated/types.js';
import { isPodReady, isPodTerminal } from '../../api/helpers/pod-state.js';
import { resolvePorts } from '../endpointslice/pod-endpoints.js';

/** Most addresses of one Endpoints object; the rest is only in the slices. */
const MAX_ADDRESSES = 1000;

/** Subsets of a service's pods, and whether some had to be left out. */
export interface Subsets {
  readonly subsets: readonly V1EndpointSubset[];
  readonly truncated: boolean;
}

/** The subsets that a service's pods make: addresses with the same ports together, in a stable order. */
export function subsetsOf(service: V1Service, pods: readonly V1Pod[]): Subsets {
  const groups = new Map<string, { ports: CoreV1EndpointPort[]; ready: V1EndpointAddress[]; notReady: V1EndpointAddress[] }>();
  const family = service.spec?.ipFamilies?.[0] ?? 'IPv4';
  const tolerant = service.spec?.publishNotReadyAddresses ?? false;
  const sorted = [...pods].sort((a, b) => ((a.status?.podIP ?? '') < (b.status?.podIP ?? '') ? -1 : 1));
  let count = 0;
  for (const pod of sorted) {
    const ip = (pod.status?.podIPs?.map((entry) => entry.ip) ?? (pod.status?.podIP ? [pod.status.podIP] : [])).find((entry) => (family === 'IPv6') === entry.includes(':'));
    if (!ip || isPodTerminal(pod) || (pod.metadata?.deletionTimestamp && !tolerant)) continue;
    if (++count > MAX_ADDRESSES) continue;
    const { namespace, name, uid } = pod.metadata ?? {};
    const address: V1EndpointAddress = {
      ip,
      ...(pod.spec?.hostname && pod.spec.subdomain === service.metadata?.name ? { hostname: pod.spec.hostname } : {}),
      ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
      targetRef: { kind: 'Pod', ...(namespace ? { namespace } : {}), ...(name ? { name } : {}), ...(uid ? { uid } : {}) },
    };
    const ports = resolvePorts(service, pod).map(({ name: portName, ...rest }) => ({ ...(portName ? { name: portName } : {}), ...rest })) as CoreV1EndpointPort[];
    // A service with ports of which a pod has none has no endpoint there.
    if (ports.length === 0 && (service.spec?.ports?.length ?? 0) > 0) continue;
    const key = JSON.stringify(ports);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { ports, ready: [], notReady: [] }));
    (tolerant || isPodReady(pod) ? group.ready : group.notReady).push(address);
  }
  const subsets = [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { ports, ready, notReady }]): V1EndpointSubset => ({
    ...(ready.length > 0 ? { addresses: ready } : {}),
    ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  }));
  return { subsets, truncated: count > MAX_ADDRESSES };
}
