import type { V1PersistentVolume } from '../../api/generated/types.js';
import { PROVISIONED_BY } from './annotations.js';
import type { PhaseEvent } from './writer.js';

/**
 * Why a released volume is not reclaimed; undefined: it stays as it is (`Retain`), or its provisioner deletes it. Deleting or emptying volumes
 * that an administrator made is refused: that would be `rm -rf` on a path somebody wrote into an object.
 */
export function reclaimFailure(volume: V1PersistentVolume): PhaseEvent | undefined {
  const name = volume.metadata?.name ?? '';
  const { persistentVolumeReclaimPolicy: policy, csi, hostPath, nfs } = volume.spec ?? {};
  const provisioner = volume.metadata?.annotations?.[PROVISIONED_BY];
  switch (policy) {
    case undefined:
    case 'Retain':
      return undefined;
    case 'Delete':
      if (provisioner ? !provisioner.startsWith('kubernetes.io/') : csi) return undefined;
      if (provisioner) return { reason: 'VolumeFailedDelete', message: `no volume plugin matched name: ${provisioner}` };
      return {
        reason: 'VolumeFailedDelete',
        message: hostPath
          ? `host path "${hostPath.path}" was not made by a provisioner and is not deleted; remove its data and the PersistentVolume by hand`
          : `error getting deleter volume plugin for volume "${name}": no deletable volume plugin matched`,
      };
    case 'Recycle':
      if (!hostPath && !nfs) return { reason: 'VolumeFailedRecycle', message: 'No recycler plugin found for the volume!' };
      return { reason: 'VolumeFailedRecycle', message: 'Recycle failed: the reclaim policy Recycle is deprecated and not carried out; use Retain, or a storage class with Delete' };
    default:
      return { reason: 'VolumeUnknownReclaimPolicy', message: 'Volume has unrecognized PersistentVolumeReclaimPolicy' };
  }
}
