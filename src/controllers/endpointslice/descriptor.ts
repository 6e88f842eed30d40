import type { V1EndpointSlice, V1Node } from '../../api/generated/types.js';
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../api/resource-refs.js';
import { isNamespaceTerminating } from '../shared/pod-control.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue, enqueueOwnEvents } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { endpointGroups } from './pod-endpoints.js';
import { enqueueServicesOfPods, podsOf } from './service-pods.js';
import { planSlices } from './slice-plan.js';
import { MANAGED_BY, SERVICE_NAME, writeSlices } from './write-slices.js';

const CONTROLLER = 'endpointslice-controller.k8s.io';
const HEADLESS = 'service.kubernetes.io/headless';
const BY_SERVICE = 'endpointslice/service';

function serviceKey(slice: V1EndpointSlice): string | undefined {
  const { labels = {}, namespace = '' } = slice.metadata ?? {};
  return labels[MANAGED_BY] === CONTROLLER && labels[SERVICE_NAME] ? `${namespace}/${labels[SERVICE_NAME]}` : undefined;
}

/** Keeps the slices of every service with a selector. */
export const endpointSliceController: ControllerDescriptor = {
  name: 'endpointslice-controller',
  serviceAccount: 'endpointslice-controller',
  enabledByDefault: true,
  start: (context) => {
    const { client, recorder } = context;
    const queue = controllerQueue(context, 'endpointslice');
    const services = context.informers.informer(SERVICES);
    const pods = context.informers.informer(PODS);
    const nodes = context.informers.informer(NODES);
    const slices = context.informers.informer(ENDPOINT_SLICES);
    slices.addIndex(BY_SERVICE, (slice) => {
      const key = serviceKey(slice);
      return key ? [key] : [];
    });
    const enqueueSlice = (slice: V1EndpointSlice): void => {
      const key = serviceKey(slice);
      if (key) queue.add(key);
    };
    const zone = (node: V1Node): string => node.metadata?.labels?.['topology.kubernetes.io/zone'] ?? '';
    const cleanup = [
      enqueueOwnEvents(services, queue, keyOf),
      enqueueServicesOfPods(pods, services, queue),
      slices.addHandler({ update: enqueueSlice, delete: enqueueSlice }),
      nodes.addHandler({
        update: (node, previous) => {
          if (zone(node) !== zone(previous)) for (const service of services.list()) queue.add(keyOf(service));
        },
      }),
    ];
    return controllerLoop(context, queue, {
      name: 'endpointslice',
      workers: 8,
      informers: [services, pods, nodes, slices],
      cleanup,
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const service = services.get(namespace, name);
        // Slices of a service that is gone go with it, by their owner reference.
        if (!service?.spec?.selector || service.spec.type === 'ExternalName' || service.metadata?.deletionTimestamp) return;
        const groups = endpointGroups(service, podsOf(service, pods), (node) => nodes.get('', node));
        const existing = slices.byIndex(BY_SERVICE, key).filter((slice) => !slice.metadata?.deletionTimestamp);
        const own = Object.entries(service.metadata?.labels ?? {}).filter(([label]) => ![SERVICE_NAME, MANAGED_BY, HEADLESS].includes(label));
        const labels = { ...Object.fromEntries(own), ...(service.spec.clusterIP === 'None' ? { [HEADLESS]: '' } : {}), [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER };
        const plan = planSlices(groups, existing);
        const relabel = existing.filter((slice) => !plan.update.some(({ metadata }) => metadata?.name === slice.metadata?.name) && !plan.remove.includes(slice) && !sameLabels(slice.metadata?.labels, labels));
        try {
          await writeSlices(client.resource(ENDPOINT_SLICES), { ...plan, update: [...plan.update, ...relabel] }, { owner: service, labels, annotations: {} });
        } catch (error) {
          if (isNamespaceTerminating(error)) return;
          recorder.event(service, 'Warning', 'FailedToUpdateEndpointSlices', `Error updating Endpoint Slices for Service ${key}: ${error instanceof Error ? error.message : String(error)}`);
          throw error;
        }
      },
    });
  },
};

function sameLabels(a: Readonly<Record<string, string>> | undefined, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a ?? {});
  return keys.length === Object.keys(b).length && keys.every((key) => a![key] === b[key]);
}
