import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from '../../api/generated/types.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import type { KubeObject } from '../../api/meta/object.js';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ResourceClient } from '../../client/index.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';

const PVC_PROTECTION = 'kubernetes.io/pvc-protection';
const PV_PROTECTION = 'kubernetes.io/pv-protection';
const BY_CLAIM = 'pvc-protection/claim';

/** Keys of the claims that a pod's volumes use, also those made for its ephemeral volumes. */
function claimsOf(pod: V1Pod): string[] {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim) return [`${namespace}/${volume.persistentVolumeClaim.claimName}`];
    return volume.ephemeral ? [`${namespace}/${name}-${volume.name}`] : [];
  });
}

/** Adds or takes away one finalizer, on the state that the informer has seen. */
async function setFinalizer<T extends KubeObject>(client: ResourceClient<T>, object: T, finalizer: string, present: boolean): Promise<void> {
  const others = (object.metadata?.finalizers ?? []).filter((entry) => entry !== finalizer);
  try {
    await client.update({ ...object, metadata: { ...object.metadata, finalizers: present ? [...others, finalizer] : others } });
  } catch (error) {
    if (!StatusError.is(error, 'NotFound')) throw error;
  }
}

/** A claim that is being deleted stays until no pod uses it. */
export const pvcProtectionController: ControllerDescriptor = {
  name: 'persistentvolumeclaim-protection-controller',
  serviceAccount: 'pvc-protection-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'pvc-protection');
    const claims = context.informers.informer(PERSISTENT_VOLUME_CLAIMS);
    const pods = context.informers.informer(PODS);
    pods.addIndex(BY_CLAIM, claimsOf);
    const enqueue = (claim: V1PersistentVolumeClaim): void => {
      if (claim.metadata?.deletionTimestamp || !claim.metadata?.finalizers?.includes(PVC_PROTECTION)) queue.add(keyOf(claim));
    };
    const enqueueClaims = (pod: V1Pod): void => {
      for (const key of claimsOf(pod)) queue.add(key);
    };
    const cleanup = [
      claims.addHandler({ add: enqueue, update: enqueue }),
      pods.addHandler({
        update: (pod, previous) => {
          if (isPodTerminal(pod) && !isPodTerminal(previous)) enqueueClaims(pod);
        },
        delete: enqueueClaims,
      }),
    ];
    return controllerLoop(context, queue, {
      name: 'pvc-protection',
      informers: [claims, pods],
      cleanup,
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const claim = claims.get(namespace, name);
        if (!claim) return;
        const held = claim.metadata?.finalizers?.includes(PVC_PROTECTION) ?? false;
        const client = context.client.resource(PERSISTENT_VOLUME_CLAIMS);
        if (!claim.metadata?.deletionTimestamp) {
          if (!held) await setFinalizer(client, claim, PVC_PROTECTION, true);
          return;
        }
        if (!held) return;
        // A pod that was never scheduled does not use its volumes; a finished one no longer does.
        const inUse = pods.byIndex(BY_CLAIM, key).some((pod) => pod.spec?.nodeName && !isPodTerminal(pod));
        if (!inUse) await setFinalizer(client, claim, PVC_PROTECTION, false);
      },
    });
  },
};

/** A volume that is being deleted stays while it is bound to a claim. */
export const pvProtectionController: ControllerDescriptor = {
  name: 'persistentvolume-protection-controller',
  serviceAccount: 'pv-protection-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'pv-protection');
    const volumes = context.informers.informer(PERSISTENT_VOLUMES);
    const enqueue = (volume: V1PersistentVolume): void => {
      if (volume.metadata?.deletionTimestamp || !volume.metadata?.finalizers?.includes(PV_PROTECTION)) queue.add(keyOf(volume));
    };
    return controllerLoop(context, queue, {
      name: 'pv-protection',
      informers: [volumes],
      cleanup: [volumes.addHandler({ add: enqueue, update: enqueue })],
      reconcile: async (name) => {
        const volume = volumes.get('', name);
        if (!volume) return;
        const held = volume.metadata?.finalizers?.includes(PV_PROTECTION) ?? false;
        const client = context.client.resource(PERSISTENT_VOLUMES);
        if (!volume.metadata?.deletionTimestamp) {
          if (!held) await setFinalizer(client, volume, PV_PROTECTION, true);
        } else if (held && volume.status?.phase !== 'Bound') await setFinalizer(client, volume, PV_PROTECTION, false);
      },
    });
  },
};
