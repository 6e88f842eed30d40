import type { V1ConfigMap } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { CONFIG_MAPS, NAMESPACES } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { isNamespaceTerminating } from '../shared/pod-control.js';

const NAME = 'kube-root-ca.crt';
const DESCRIPTION_ANNOTATION = 'kubernetes.io/description';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Keeps the config map `kube-root-ca.crt` in every namespace, for the projected volume through which pods trust the API server. */
export const rootCaPublisher: ControllerDescriptor = {
  name: 'root-ca-certificate-publisher-controller',
  serviceAccount: 'root-ca-cert-publisher',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'root_ca_cert_publisher');
    const namespaces = context.informers.informer(NAMESPACES);
    const configMaps = context.informers.informer(CONFIG_MAPS, { fieldSelector: `metadata.name=${NAME}` });
    const client = context.client.resource(CONFIG_MAPS);
    const data = { 'ca.crt': context.options.rootCa };
    const enqueueOwner = ({ metadata = {} }: V1ConfigMap): void => {
      if (metadata.name === NAME) queue.add(metadata.namespace ?? '');
    };
    const cleanup = [
      namespaces.addHandler({
        add: (namespace) => queue.add(namespace.metadata?.name ?? ''),
        update: (namespace) => queue.add(namespace.metadata?.name ?? ''),
      }),
      configMaps.addHandler({ update: enqueueOwner, delete: enqueueOwner }),
    ];
    return controllerLoop(context, queue, {
      name: 'root_ca_cert_publisher',
      informers: [namespaces, configMaps],
      cleanup,
      reconcile: async (name) => {
        const namespace = namespaces.get('', name);
        if (!namespace || namespace.metadata?.deletionTimestamp || namespace.status?.phase === 'Terminating') return;
        const present = configMaps.get(name, NAME);
        const annotations = { ...present?.metadata?.annotations, [DESCRIPTION_ANNOTATION]: DESCRIPTION };
        try {
          if (!present) await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: name, name: NAME, annotations }, data });
          else if (!deepEqual(present.data, data) || present.metadata?.annotations?.[DESCRIPTION_ANNOTATION] !== DESCRIPTION) {
            await client.update({ ...present, metadata: { ...present.metadata, annotations }, data });
          }
        } catch (error) {
          if (!StatusError.is(error, 'AlreadyExists') && !isNamespaceTerminating(error)) throw error;
        }
      },
    });
  },
};
