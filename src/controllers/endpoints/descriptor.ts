import type { V1Endpoints } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { ENDPOINTS, PODS, SERVICES } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ControllerDescriptor } from '../controller.js';
import { enqueueServicesOfPods, podsOf } from '../endpointslice/service-pods.js';
import { controllerLoop, controllerQueue, enqueueOwnEvents } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { isNamespaceTerminating } from '../shared/pod-control.js';
import { TriggerTimes } from '../endpointslice/trigger-times.js';
import { TRIGGER_TIME } from '../endpointslice/write-slices.js';
import { subsetsOf } from './subsets.js';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const HEADLESS = 'service.kubernetes.io/headless';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';

/** Keeps the Endpoints object of every service with a selector. */
export const endpointsController: ControllerDescriptor = {
  name: 'endpoints-controller',
  serviceAccount: 'endpoint-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'endpoints');
    const services = context.informers.informer(SERVICES);
    const pods = context.informers.informer(PODS);
    const endpoints = context.informers.informer(ENDPOINTS);
    const client = context.client.resource(ENDPOINTS);
    const recorder = context.recorder.withComponent('endpoint-controller');
    const triggers = new TriggerTimes();
    const cleanup = [
      enqueueOwnEvents(services, queue, keyOf),
      enqueueServicesOfPods(pods, services, queue),
      endpoints.addHandler({ delete: (object) => queue.add(keyOf(object)) }),
    ];
    return controllerLoop(context, queue, {
      name: 'endpoints',
      workers: 8,
      informers: [services, pods, endpoints],
      cleanup,
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const service = services.get(namespace, name);
        const current = endpoints.get(namespace, name);
        if (!service) {
          triggers.forget(key);
          // Endpoints that somebody made by hand, for a service without a selector, have no such label and stay.
          if (current?.metadata?.labels?.[MANAGED_BY]) await client.delete(namespace, name).catch(ignoreNotFound);
          return;
        }
        if (!service.spec?.selector || service.spec.type === 'ExternalName') return;
        const members = podsOf(service, pods);
        const trigger = triggers.next(key, service, members);
        const { subsets, truncated } = subsetsOf(service, members);
        const { [HEADLESS]: _headless, ...labels } = service.metadata?.labels ?? {};
        const annotations = { ...current?.metadata?.annotations };
        delete annotations[OVER_CAPACITY];
        if (truncated) annotations[OVER_CAPACITY] = 'truncated';
        // Only written with a change of something else.
        const { [TRIGGER_TIME]: _trigger, ...others } = annotations;
        const marked = trigger ? { ...others, [TRIGGER_TIME]: trigger } : others;
        const wanted: V1Endpoints = {
          ...(current ?? { apiVersion: 'v1', kind: 'Endpoints' }),
          metadata: {
            ...(current?.metadata ?? { name, namespace }),
            labels: { ...labels, ...(service.spec.clusterIP === 'None' ? { [HEADLESS]: '' } : {}), [MANAGED_BY]: 'endpoint-controller' },
            annotations: marked,
          },
          subsets,
        };
        if (current && deepEqual(current.subsets ?? [], subsets) && deepEqual(current.metadata?.labels, wanted.metadata?.labels) && deepEqual(current.metadata?.annotations ?? {}, annotations)) return;
        try {
          if (current) await client.update(wanted);
          else await client.create(wanted);
        } catch (error) {
          if (isNamespaceTerminating(error)) return;
          const verb = current ? 'update' : 'create';
          if (!StatusError.is(error, 'Conflict') && !StatusError.is(error, 'AlreadyExists')) {
            recorder.event(current ?? service, 'Warning', `FailedTo${verb === 'create' ? 'Create' : 'Update'}Endpoint`, `Failed to ${verb} endpoint ${key}: ${error instanceof Error ? error.message : String(error)}`);
          }
          throw error;
        }
      },
    });
  },
};

function ignoreNotFound(error: unknown): void {
  if (!StatusError.is(error, 'NotFound')) throw error;
}
