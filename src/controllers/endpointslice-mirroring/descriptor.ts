import type { V1Endpoint, V1EndpointAddress, V1Endpoints, V1EndpointSlice } from '../../api/generated/types.js';
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../api/resource-refs.js';
import type { ControllerDescriptor } from '../controller.js';
import { planSlices, type EndpointGroup } from '../endpointslice/slice-plan.js';
import { MANAGED_BY, SERVICE_NAME, TRIGGER_TIME, writeSlices } from '../endpointslice/write-slices.js';
import { controllerLoop, controllerQueue, enqueueOwnEvents } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { isNamespaceTerminating } from '../shared/pod-control.js';

const CONTROLLER = 'endpointslicemirroring-controller.k8s.io';
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const BY_SERVICE = 'endpointslice-mirroring/service';
/** Upstream's `--mirroring-max-endpoints-per-subset`. */
const MAX_PER_SUBSET = 1000;

function serviceKey(slice: V1EndpointSlice): string | undefined {
  const { labels = {}, namespace = '' } = slice.metadata ?? {};
  return labels[MANAGED_BY] === CONTROLLER && labels[SERVICE_NAME] ? `${namespace}/${labels[SERVICE_NAME]}` : undefined;
}

/** The groups of endpoints that hand-made Endpoints stand for. */
export function mirroredGroups(endpoints: V1Endpoints): EndpointGroup[] {
  const groups: EndpointGroup[] = [];
  for (const subset of endpoints.subsets ?? []) {
    const ports = (subset.ports ?? []).map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({ name, port, protocol, ...(appProtocol ? { appProtocol } : {}) }));
    const all = [...(subset.addresses ?? []).map((address) => mirrored(address, true)), ...(subset.notReadyAddresses ?? []).map((address) => mirrored(address, false))].slice(0, MAX_PER_SUBSET);
    for (const addressType of ['IPv4', 'IPv6']) {
      const members = all.filter((endpoint) => (addressType === 'IPv6') === endpoint.addresses[0]!.includes(':'));
      if (members.length > 0) groups.push({ addressType, ports, endpoints: members });
    }
  }
  return groups;
}

function mirrored(address: V1EndpointAddress, ready: boolean): V1Endpoint {
  const { ip, hostname, nodeName, targetRef } = address;
  return { addresses: [ip], conditions: { ready }, ...(hostname ? { hostname } : {}), ...(nodeName ? { nodeName } : {}), ...(targetRef ? { targetRef } : {}) };
}

/** Keeps slices for Endpoints that were made by hand, for services without a selector. */
export const endpointSliceMirroringController: ControllerDescriptor = {
  name: 'endpointslice-mirroring-controller',
  serviceAccount: 'endpointslicemirroring-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'endpointslice-mirroring');
    const services = context.informers.informer(SERVICES);
    const endpoints = context.informers.informer(ENDPOINTS);
    const slices = context.informers.informer(ENDPOINT_SLICES);
    slices.addIndex(BY_SERVICE, (slice) => {
      const key = serviceKey(slice);
      return key ? [key] : [];
    });
    const enqueueSlice = (slice: V1EndpointSlice): void => {
      const key = serviceKey(slice);
      if (key) queue.add(key);
    };
    const cleanup = [enqueueOwnEvents(services, queue, keyOf), enqueueOwnEvents(endpoints, queue, keyOf), slices.addHandler({ update: enqueueSlice, delete: enqueueSlice })];
    return controllerLoop(context, queue, {
      name: 'endpointslice-mirroring',
      informers: [services, endpoints, slices],
      cleanup,
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const object = endpoints.get(namespace, name);
        const service = services.get(namespace, name);
        const { labels = {}, annotations = {} } = object?.metadata ?? {};
        const mirror = object && service && !service.spec?.selector && labels[SKIP] !== 'true' && !(LEADER in annotations);
        const existing = slices.byIndex(BY_SERVICE, key);
        if (!mirror && existing.length === 0) return;
        const plan = mirror ? planSlices(mirroredGroups(object), existing, MAX_PER_SUBSET) : { create: [], update: [], remove: existing };
        const copied = Object.fromEntries(Object.entries(annotations).filter(([annotation]) => annotation !== TRIGGER_TIME && annotation !== LAST_APPLIED));
        try {
          await writeSlices(context.client.resource(ENDPOINT_SLICES), plan, {
            owner: object ?? { apiVersion: 'v1', kind: 'Endpoints', metadata: { namespace, name } },
            labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER },
            annotations: copied,
          });
        } catch (error) {
          if (!isNamespaceTerminating(error)) throw error;
        }
      },
    });
  },
};
