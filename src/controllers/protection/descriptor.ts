import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod, V1VolumeAttributesClass } from '../../api/generated/types.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import type { KubeObject } from '../../api/meta/object.js';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, VOLUME_ATTRIBUTES_CLASSES } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ResourceClient } from '../../client/index.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';

const PVC_PROTECTION = 'kubernetes.io/pvc-protection';
const PV_PROTECTION = 'kubernetes.io/pv-protection';
const CLASS_PROTECTION = 'kubernetes.io/vac-protection';
const BY_CLASS = 'vac-protection/class';
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

/** Names of the volume attributes classes that a claim has, asks for, or is being changed to. */
function classesOf({ spec, status }: V1PersistentVolumeClaim): string[] {
  return [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, status?.modifyVolumeStatus?.targetVolumeAttributesClassName].flatMap((name) => (name ? [name] : []));
}

/** A volume attributes class that is being deleted stays while a claim or a volume has it. */
export const vacProtectionController: ControllerDescriptor = {
  name: 'volumeattributesclass-protection-controller',
  serviceAccount: 'volumeattributesclass-protection-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'volumeattributesclass-protection');
    const classes = context.informers.informer(VOLUME_ATTRIBUTES_CLASSES);
    const claims = context.informers.informer(PERSISTENT_VOLUME_CLAIMS);
    const volumes = context.informers.informer(PERSISTENT_VOLUMES);
    const ofVolume = (volume: V1PersistentVolume): string[] => (volume.spec?.volumeAttributesClassName ? [volume.spec.volumeAttributesClassName] : []);
    claims.addIndex(BY_CLASS, classesOf);
    volumes.addIndex(BY_CLASS, ofVolume);
    const enqueue = (item: V1VolumeAttributesClass): void => {
      if (item.metadata?.deletionTimestamp || !item.metadata?.finalizers?.includes(CLASS_PROTECTION)) queue.add(keyOf(item));
    };
    const enqueueAll = (names: readonly string[]): void => {
      for (const name of names) queue.add(name);
    };
    return controllerLoop(context, queue, {
      name: 'volumeattributesclass-protection',
      informers: [classes, claims, volumes],
      cleanup: [
        classes.addHandler({ add: enqueue, update: enqueue }),
        claims.addHandler({ update: (_claim, previous) => enqueueAll(classesOf(previous)), delete: (claim) => enqueueAll(classesOf(claim)) }),
        volumes.addHandler({ update: (_volume, previous) => enqueueAll(ofVolume(previous)), delete: (volume) => enqueueAll(ofVolume(volume)) }),
      ],
      reconcile: async (name) => {
        const item = classes.get('', name);
        if (!item) return;
        const held = item.metadata?.finalizers?.includes(CLASS_PROTECTION) ?? false;
        const client = context.client.resource(VOLUME_ATTRIBUTES_CLASSES);
        if (!item.metadata?.deletionTimestamp) {
          if (!held) await setFinalizer(client, item, CLASS_PROTECTION, true);
        } else if (held && claims.byIndex(BY_CLASS, name).length === 0 && volumes.byIndex(BY_CLASS, name).length === 0) await setFinalizer(client, item, CLASS_PROTECTION, false);
      },
    });
  },
};
