import type { V1PersistentVolume, V1PersistentVolumeClaim } from '../../../api/generated/types.js';
import { NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../../../api/resource-refs.js';
import { Quantity } from '../../../api/quantity.js';
import type { ControllerDescriptor } from '../../controller.js';
import { controllerLoop, controllerQueue } from '../../shared/controller-loop.js';
import { keyOf, splitKey } from '../../shared/object-key.js';
import { STORAGE_PROVISIONER } from '../annotations.js';
import { requestOf } from '../facts.js';
import { Deletion } from './deletion.js';
import { PROVISIONER } from './names.js';
import { Provisioning } from './provision.js';

const VOLUME = 'volume:';
const CLAIM = 'claim:';

/** The provisioner of storage classes with `provisioner: kube.io/local-path`: folders on the nodes. Off without `localPathFolder`. */
export const localPathProvisioner: ControllerDescriptor = {
  name: 'local-path-provisioner',
  serviceAccount: 'persistent-volume-binder',
  enabledByDefault: true,
  start: (context) => {
    const { localPathFolder: folder, localPathNodes = [] } = context.options;
    if (folder === undefined) return { stop: () => Promise.resolve() };
    const { client, informers } = context;
    const queue = controllerQueue(context, 'local-path-provisioner');
    const recorder = context.recorder.withComponent(PROVISIONER);
    const volumes = informers.informer(PERSISTENT_VOLUMES);
    const claims = informers.informer(PERSISTENT_VOLUME_CLAIMS);
    const classes = informers.informer(STORAGE_CLASSES);
    const nodes = informers.informer(NODES);
    const ownNodes = new Set(localPathNodes);
    const provisioning = new Provisioning({ client, recorder, volumes, classes, nodes, folder, ownNodes });
    const deletion = new Deletion({ client, recorder, nodes, folder, ownNodes });

    const enqueueVolume = (volume: V1PersistentVolume): void => {
      if (deletion.isDue(volume)) queue.add(VOLUME + keyOf(volume));
    };
    const enqueueClaim = (claim: V1PersistentVolumeClaim): void => {
      if (provisioning.isDue(claim)) queue.add(CLAIM + keyOf(claim));
    };
    const refuseGrowth = (claim: V1PersistentVolumeClaim, previous: V1PersistentVolumeClaim): void => {
      if (claim.metadata?.annotations?.[STORAGE_PROVISIONER] !== PROVISIONER || claim.status?.phase !== 'Bound') return;
      const size = Quantity.parse(claim.status.capacity?.['storage'] ?? '0');
      if (requestOf(claim).compare(requestOf(previous)) === 0 || requestOf(claim).compare(size) <= 0) return;
      recorder.event(claim, 'Warning', 'VolumeResizeFailed', `volumes of provisioner ${PROVISIONER} cannot be expanded; the claim keeps ${claim.status.capacity?.['storage'] ?? 'its size'}`);
    };
    return controllerLoop(context, queue, {
      name: 'local-path-provisioner',
      informers: [volumes, claims, classes, nodes],
      cleanup: [
        volumes.addHandler({ add: enqueueVolume, update: enqueueVolume }),
        claims.addHandler({
          add: enqueueClaim,
          update: (claim, previous) => {
            enqueueClaim(claim);
            refuseGrowth(claim, previous);
          },
        }),
        classes.addHandler({
          add: () => claims.list().forEach(enqueueClaim),
        }),
        // With a node its volumes can go.
        nodes.addHandler({ delete: () => volumes.list().forEach(enqueueVolume) }),
      ],
      reconcile: async (key) => {
        if (key.startsWith(VOLUME)) return deletion.delete(key.slice(VOLUME.length));
        const { namespace, name } = splitKey(key.slice(CLAIM.length));
        const claim = claims.get(namespace, name);
        if (claim && provisioning.isDue(claim)) await provisioning.provision(claim);
      },
    });
  },
};
