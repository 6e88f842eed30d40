import type { V1Namespace } from '../../api/generated/types.js';
import { NAMESPACES, SERVICE_ACCOUNTS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { isNamespaceTerminating } from '../shared/pod-control.js';

/** The account that pods use which name none. */
const DEFAULT = 'default';

/** Keeps a service account `default` in every namespace that is not being deleted. */
export const serviceAccountController: ControllerDescriptor = {
  name: 'serviceaccount-controller',
  serviceAccount: 'service-account-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'serviceaccount');
    const namespaces = context.informers.informer(NAMESPACES);
    const accounts = context.informers.informer(SERVICE_ACCOUNTS);
    const client = context.client.resource(SERVICE_ACCOUNTS);
    const enqueue = (namespace: V1Namespace): void => queue.add(namespace.metadata?.name ?? '');
    const cleanup = [
      namespaces.addHandler({ add: enqueue, update: enqueue }),
      accounts.addHandler({
        delete: ({ metadata = {} }) => {
          if (metadata.name === DEFAULT) queue.add(metadata.namespace ?? '');
        },
      }),
    ];
    return controllerLoop(context, queue, {
      name: 'serviceaccount',
      // Pods of new namespaces wait for the account.
      workers: 10,
      informers: [namespaces, accounts],
      cleanup,
      reconcile: async (name) => {
        const namespace = namespaces.get('', name);
        if (!namespace || namespace.metadata?.deletionTimestamp || namespace.status?.phase === 'Terminating' || accounts.get(name, DEFAULT)) return;
        try {
          await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: name, name: DEFAULT } });
        } catch (error) {
          if (!StatusError.is(error, 'AlreadyExists') && !isNamespaceTerminating(error)) throw error;
        }
      },
    });
  },
};
