import type { V1EndpointSlice, V1Node } from '../../api/generated/types.js';
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../api/resource-refs.js';
import { isNamespaceTerminating } from '../shared/pod-control.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue, enqueueOwnEvents } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { endpointGroups } from './pod-endpoints.js';
import { enqueueServicesOfPods, podsOf } from './service-pods.js';
import { planSlices } from './slice-plan.js';
import { ExpectedSlices } from './expected-slices.js';
import { TriggerTimes } from './trigger-times.js';
import { MANAGED_BY, SERVICE_NAME, TRIGGER_TIME, writeSlices } from './write-slices.js';

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
    const { client } = context;
    const recorder = context.recorder.withComponent('endpoint-slice-controller');
    const expected = new ExpectedSlices(context.clock);
    const triggers = new TriggerTimes();
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
      slices.addHandler({
        add: enqueueSlice,
        update: enqueueSlice,
        delete: (slice) => {
          expected.removed(serviceKey(slice) ?? '', slice.metadata?.name ?? '');
          enqueueSlice(slice);
        },
      }),
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
        if (!service) {
          expected.forget(key);
          triggers.forget(key);
        }
        // Slices of a service that is gone go with it, by their owner reference.
        if (!service?.spec?.selector || service.spec.type === 'ExternalName' || service.metadata?.deletionTimestamp) return undefined;
        const copies = slices.byIndex(BY_SERVICE, key);
        // The copies' arrival brings the key here again; the time is for those that never come.
        if (expected.stale(key, copies)) return { requeueAfterMilliseconds: 1000 };
        const members = podsOf(service, pods);
        const trigger = triggers.next(key, service, members);
        const groups = endpointGroups(service, members, (node) => nodes.get('', node));
        const existing = copies.filter((slice) => !slice.metadata?.deletionTimestamp);
        const own = Object.entries(service.metadata?.labels ?? {}).filter(([label]) => ![SERVICE_NAME, MANAGED_BY, HEADLESS].includes(label));
        const labels = { ...Object.fromEntries(own), ...(service.spec.clusterIP === 'None' ? { [HEADLESS]: '' } : {}), [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER };
        const plan = planSlices(groups, existing);
        const relabel = existing.filter((slice) => !plan.update.some(({ metadata }) => metadata?.name === slice.metadata?.name) && !plan.remove.includes(slice) && !sameLabels(slice.metadata?.labels, labels));
        try {
          await writeSlices(client.resource(ENDPOINT_SLICES), { ...plan, update: [...plan.update, ...relabel] }, {
            owner: service, labels, annotations: trigger ? { [TRIGGER_TIME]: trigger } : {}, written: (slice, generation) => expected.wrote(key, slice, generation),
          });
        } catch (error) {
          if (isNamespaceTerminating(error)) return undefined;
          recorder.event(service, 'Warning', 'FailedToUpdateEndpointSlices', `Error updating Endpoint Slices for Service ${key}: ${error instanceof Error ? error.message : String(error)}`);
          throw error;
        }
        return undefined;
      },
    });
  },
};

function sameLabels(a: Readonly<Record<string, string>> | undefined, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a ?? {});
  return keys.length === Object.keys(b).length && keys.every((key) => a![key] === b[key]);
}
