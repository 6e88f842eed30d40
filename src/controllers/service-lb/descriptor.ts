import type { V1Node, V1Service } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { NODES, SERVICES } from '../../api/resource-refs.js';
import { createBuiltinCloud } from '../../cloud/index.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { balancedNodeText, isBalancedNode } from './balanced-nodes.js';
import { hasFinalizer } from './finalizer.js';
import { LoadBalancerReconciler } from './reconciler.js';

/** Gives services of type `LoadBalancer` their load balancer, by way of the cloud provider. */
export const serviceLbController: ControllerDescriptor = {
  name: 'service-lb-controller',
  serviceAccount: 'service-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'service');
    const services = context.informers.informer(SERVICES);
    const nodes = context.informers.informer(NODES);
    const cloud = createBuiltinCloud({ services: () => services.list(), nodes: () => nodes.list() });
    const reconciler = new LoadBalancerReconciler({
      cloud,
      client: context.client.resource(SERVICES),
      recorder: context.recorder.withComponent('service-controller'),
      services,
      nodes: () => nodes.list().filter(isBalancedNode),
      wake: (key) => queue.add(key),
    });
    const isOurs = (service: V1Service): boolean => reconciler.wants(service) || hasFinalizer(service);
    const nodesChanged = (): void => {
      for (const service of services.list()) if (reconciler.wants(service)) queue.add(keyOf(service));
    };
    const cleanup = [
      services.addHandler({
        add: (service) => {
          if (isOurs(service)) queue.add(keyOf(service));
        },
        update: (service, previous) => {
          if ((isOurs(service) || isOurs(previous)) && !deepEqual(inputsOf(service), inputsOf(previous))) queue.add(keyOf(service));
        },
        delete: (service) => reconciler.gone(service),
      }),
      nodes.addHandler({
        add: (_node, initial) => {
          if (!initial) nodesChanged();
        },
        update: (node: V1Node, previous: V1Node) => {
          if (balancedNodeText(node) !== balancedNodeText(previous)) nodesChanged();
        },
        delete: nodesChanged,
      }),
    ];
    return controllerLoop(context, queue, {
      name: 'service',
      // Ports are given away in order: one at a time.
      workers: 1,
      informers: [services, nodes],
      cleanup,
      reconcile: (key) => {
        const { namespace, name } = splitKey(key);
        return reconciler.reconcile(key, services.get(namespace, name));
      },
    });
  },
};

/** What a load balancer is made from; the status is the controller's own work. */
function inputsOf({ metadata, spec }: V1Service): unknown {
  return { uid: metadata?.uid, deletionTimestamp: metadata?.deletionTimestamp, annotations: metadata?.annotations, spec };
}
