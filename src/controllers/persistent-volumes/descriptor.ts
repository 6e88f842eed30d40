import type { V1PersistentVolume, V1PersistentVolumeClaim } from '../../api/generated/types.js';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES } from '../../api/resource-refs.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { BIND_COMPLETED } from './annotations.js';
import { BY_CLAIM, BY_CLASS, PODS_BY_CLAIM } from './binder-context.js';
import { ClaimSync } from './claim-sync.js';
import { claimKeyOf, claimKeysOfPod, className, hasClass, isDefaultClass } from './facts.js';
import { VolumeSync } from './volume-sync.js';
import { WriteThrough } from './write-through.js';
import { BindingWriter } from './writer.js';

/** How often claims that wait, and volumes that are not bound, are looked at again (upstream's `--pvclaimbinder-sync-period`). */
const RESYNC_MILLISECONDS = 15_000;
const VOLUME = 'volume:';
const CLAIM = 'claim:';

/** Binds claims to volumes. One worker: which claim gets which volume is decided one after the other. */
export const persistentVolumeBinderController: ControllerDescriptor = {
  name: 'persistentvolume-binder-controller',
  serviceAccount: 'persistent-volume-binder',
  enabledByDefault: true,
  start: (context) => {
    const { client, informers, clock } = context;
    const queue = controllerQueue(context, 'persistentvolume-binder');
    const volumeInformer = informers.informer(PERSISTENT_VOLUMES);
    const claimInformer = informers.informer(PERSISTENT_VOLUME_CLAIMS);
    const classInformer = informers.informer(STORAGE_CLASSES);
    const podInformer = informers.informer(PODS);
    volumeInformer.addIndex(BY_CLASS, (volume) => [className(volume)]);
    volumeInformer.addIndex(BY_CLAIM, (volume) => {
      const key = claimKeyOf(volume);
      return key === undefined ? [] : [key];
    });
    podInformer.addIndex(PODS_BY_CLAIM, claimKeysOfPod);
    const recorder = context.recorder.withComponent('persistentvolume-controller');
    const volumes = new WriteThrough<V1PersistentVolume>(volumeInformer);
    const claims = new WriteThrough<V1PersistentVolumeClaim>(claimInformer);
    const enqueueClaim = (key: string): void => queue.add(CLAIM + key);
    const enqueueVolume = (name: string): void => queue.add(VOLUME + name);
    const shared = { client, volumes, claims, classes: classInformer, pods: podInformer, writer: new BindingWriter(client, volumes, claims, recorder), recorder, enqueueClaim };
    const claimSync = new ClaimSync(shared);
    const volumeSync = new VolumeSync(shared);

    const isWaiting = (claim: V1PersistentVolumeClaim): boolean => claim.metadata?.annotations?.[BIND_COMPLETED] === undefined;
    const enqueueWaiting = (matches: (claim: V1PersistentVolumeClaim) => boolean): void => {
      for (const claim of claimInformer.list()) if (isWaiting(claim) && matches(claim)) enqueueClaim(keyOf(claim));
    };
    let cancelResync: () => void = () => undefined;
    const resync = (): void => {
      cancelResync = clock.setTimeout(() => {
        enqueueWaiting(() => true);
        for (const volume of volumeInformer.list()) if (volume.status?.phase !== 'Bound') enqueueVolume(volume.metadata?.name ?? '');
        resync();
      }, RESYNC_MILLISECONDS, { unref: true });
    };
    resync();

    const cleanup = [
      volumes.close,
      claims.close,
      () => cancelResync(),
      volumeInformer.addHandler({
        add: (volume) => enqueueVolume(volume.metadata?.name ?? ''),
        update: (volume) => {
          enqueueVolume(volume.metadata?.name ?? '');
          const key = claimKeyOf(volume);
          // Somebody may wait for it: for one that is free all of its class, otherwise its claim.
          if (key !== undefined) enqueueClaim(key);
          else if (volume.status?.phase === 'Available') enqueueWaiting((claim) => className(claim) === className(volume));
        },
        delete: (volume) => {
          const key = claimKeyOf(volume);
          if (key !== undefined) enqueueClaim(key);
        },
      }),
      claimInformer.addHandler({
        add: (claim) => enqueueClaim(keyOf(claim)),
        update: (claim) => enqueueClaim(keyOf(claim)),
        delete: (claim) => {
          if (claim.spec?.volumeName) enqueueVolume(claim.spec.volumeName);
          for (const volume of volumeInformer.byIndex(BY_CLAIM, keyOf(claim))) enqueueVolume(volume.metadata?.name ?? '');
        },
      }),
      classInformer.addHandler({
        add: (added) => enqueueWaiting((claim) => className(claim) === added.metadata?.name || (isDefaultClass(added) && !hasClass(claim))),
        update: (changed) => enqueueWaiting((claim) => className(claim) === changed.metadata?.name || (isDefaultClass(changed) && !hasClass(claim))),
      }),
    ];
    return controllerLoop(context, queue, {
      name: 'persistentvolume-binder',
      workers: 1,
      informers: [volumeInformer, claimInformer, classInformer, podInformer],
      cleanup,
      reconcile: async (key) => {
        if (key.startsWith(VOLUME)) {
          const volume = volumes.get('', key.slice(VOLUME.length));
          if (volume) await volumeSync.sync(volume);
          return;
        }
        const { namespace, name } = splitKey(key.slice(CLAIM.length));
        const claim = claims.get(namespace, name);
        if (claim) await claimSync.sync(claim);
      },
    });
  },
};
