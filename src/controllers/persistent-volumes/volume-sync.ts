import type { V1PersistentVolume, V1PersistentVolumeClaim } from '../../api/generated/types.js';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { PROVISIONED_BY } from './annotations.js';
import type { BinderContext } from './binder-context.js';
import { claimKeyOf, sameVolumeMode } from './facts.js';
import { reclaimFailure } from './reclaim.js';

const RELEASED: readonly (string | undefined)[] = ['Released', 'Failed'];

/** Keeps the phase of a volume true to its claim, and deals with volumes whose claim is gone. */
export class VolumeSync {
  constructor(private readonly context: BinderContext) {}

  /** One look at a volume. Throws when it has to be tried again. */
  async sync(volume: V1PersistentVolume): Promise<void> {
    const { writer, recorder } = this.context;
    const ref = volume.spec?.claimRef;
    const key = claimKeyOf(volume);
    if (!ref?.uid || key === undefined) {
      await writer.setVolumePhase(volume, 'Available');
      return;
    }
    const claim = await this.claimOf(volume);
    if (!claim) return this.release(volume);
    const name = volume.metadata?.name ?? '';
    if (!claim.spec?.volumeName) {
      if (sameVolumeMode(volume, claim)) return this.context.enqueueClaim(key);
      recorder.event(volume, 'Warning', 'VolumeMismatch', `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata?.name}" due to incompatible volumeMode.`);
      recorder.event(claim, 'Warning', 'VolumeMismatch', `Cannot bind PersistentVolume "${name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`);
    } else if (claim.spec.volumeName === name) await writer.setVolumePhase(volume, 'Bound');
    // The claim was bound to another volume in the meantime: one that was made for it goes, others are free again.
    else if (volume.metadata?.annotations?.[PROVISIONED_BY] !== undefined && volume.spec?.persistentVolumeReclaimPolicy === 'Delete') await this.release(volume);
    else await writer.unbind(volume);
  }

  /** The claim that the volume is bound to. Before a volume is released the server is asked: our copy may be behind. */
  private async claimOf(volume: V1PersistentVolume): Promise<V1PersistentVolumeClaim | undefined> {
    const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
    const known = this.context.claims.get(namespace, name);
    if (known?.metadata?.uid === uid) return known;
    if (!known && RELEASED.includes(volume.status?.phase)) return undefined;
    try {
      const claim = await this.context.client.resource(PERSISTENT_VOLUME_CLAIMS).get(namespace, name);
      return claim.metadata?.uid === uid ? claim : undefined;
    } catch (error) {
      if (StatusError.is(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  private async release(volume: V1PersistentVolume): Promise<void> {
    const { writer } = this.context;
    const released = RELEASED.includes(volume.status?.phase) ? volume : await writer.setVolumePhase(volume, 'Released');
    const failure = reclaimFailure(released);
    if (failure) await writer.setVolumePhase(released, 'Failed', failure);
  }
}
