import type { V1PersistentVolumeClaim, V1Pod, V1Volume } from '../../api/generated/types.js';
import { controllerReference, isControlledBy } from '../../api/helpers/owner-references.js';
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '../../api/resource-refs.js';
import { errorMessage, KubeError } from '../../base/errors.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';

const BY_CLAIM = 'ephemeral-volume/claim';

/** Name of the claim behind a generic ephemeral volume. */
function claimName(pod: V1Pod, volume: V1Volume): string {
  return `${pod.metadata?.name ?? ''}-${volume.name}`;
}

function ephemeralVolumes(pod: V1Pod): readonly V1Volume[] {
  return (pod.spec?.volumes ?? []).filter((volume) => volume.ephemeral);
}

function claimFor(pod: V1Pod, volume: V1Volume): V1PersistentVolumeClaim {
  const { metadata, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: pod.metadata?.namespace ?? '', name: claimName(pod, volume),
      ownerReferences: [controllerReference({ ...pod, apiVersion: 'v1', kind: 'Pod' })],
      ...(metadata?.annotations ? { annotations: metadata.annotations } : {}), ...(metadata?.labels ? { labels: metadata.labels } : {}),
    },
    ...(spec ? { spec } : {}),
  };
}

/** Makes a claim, owned by the pod, for each generic ephemeral volume; with the pod it goes. */
export const ephemeralVolumeController: ControllerDescriptor = {
  name: 'ephemeral-volume-controller',
  serviceAccount: 'ephemeral-volume-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'ephemeral-volume');
    const recorder = context.recorder.withComponent('ephemeral_volume');
    const client = context.client.resource(PERSISTENT_VOLUME_CLAIMS);
    const pods = context.informers.informer(PODS);
    const claims = context.informers.informer(PERSISTENT_VOLUME_CLAIMS);
    pods.addIndex(BY_CLAIM, (pod) => ephemeralVolumes(pod).map((volume) => `${pod.metadata?.namespace ?? ''}/${claimName(pod, volume)}`));
    const enqueue = (pod: V1Pod): void => {
      if (!pod.metadata?.deletionTimestamp && ephemeralVolumes(pod).length > 0) queue.add(keyOf(pod));
    };
    const ensure = async (pod: V1Pod, volume: V1Volume): Promise<void> => {
      const namespace = pod.metadata?.namespace ?? '';
      const name = claimName(pod, volume);
      const present = claims.get(namespace, name);
      if (present && isControlledBy(present, pod)) return;
      if (present) throw new KubeError('KUBE_EPHEMERAL_VOLUME', `PVC ${namespace}/${name} was not created for pod ${keyOf(pod)} (pod is not owner)`);
      try {
        await client.create(claimFor(pod, volume));
      } catch (error) {
        throw new KubeError('KUBE_EPHEMERAL_VOLUME', `create PVC ${name}: ${errorMessage(error)}`, { cause: error });
      }
    };
    return controllerLoop(context, queue, {
      name: 'ephemeral-volume',
      informers: [pods, claims],
      cleanup: [
        pods.addHandler({ add: enqueue }),
        claims.addHandler({ delete: (claim) => pods.byIndex(BY_CLAIM, keyOf(claim)).forEach(enqueue) }),
      ],
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const pod = pods.get(namespace, name);
        if (!pod || pod.metadata?.deletionTimestamp) return;
        for (const volume of ephemeralVolumes(pod)) {
          try {
            await ensure(pod, volume);
          } catch (error) {
            recorder.event(pod, 'Warning', 'FailedBinding', `ephemeral volume ${volume.name}: ${errorMessage(error)}`);
            throw error;
          }
        }
      },
    });
  },
};
