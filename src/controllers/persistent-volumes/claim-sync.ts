import type { V1PersistentVolumeClaim, V1StorageClass } from '../../api/generated/types.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import { KubeError } from '../../base/errors.js';
import { BETA_STORAGE_PROVISIONER, BIND_COMPLETED, BOUND_BY_CONTROLLER, SELECTED_NODE, STORAGE_PROVISIONER } from './annotations.js';
import { BY_CLAIM, BY_CLASS, PODS_BY_CLAIM, type BinderContext } from './binder-context.js';
import { className, defaultClass, hasClass, isBoundTo, mismatch } from './facts.js';
import { findVolume } from './matching.js';

/** Brings a claim to its volume, or sees that somebody makes one, or says why neither is possible. */
export class ClaimSync {
  constructor(private readonly context: BinderContext) {}

  /** One look at a claim. Throws when it has to be tried again. */
  async sync(claim: V1PersistentVolumeClaim): Promise<void> {
    if (claim.metadata?.annotations?.[BIND_COMPLETED] !== undefined) await this.syncBound(claim);
    else if (claim.spec?.volumeName) await this.syncRequested(claim, claim.spec.volumeName);
    else await this.syncFree(claim);
  }

  private async syncFree(claim: V1PersistentVolumeClaim): Promise<void> {
    const { volumes, writer, recorder, classes } = this.context;
    const storageClass = classes.get('', className(claim));
    const delayed = this.isDelayed(storageClass);
    const candidates = new Map(volumes.byIndex(BY_CLAIM, keyOf(claim)).map((volume) => [volume.metadata?.name ?? '', volume]));
    if (!delayed) for (const volume of volumes.byIndex(BY_CLASS, className(claim))) candidates.set(volume.metadata?.name ?? '', volume);
    const volume = findVolume(claim, [...candidates.values()], delayed);
    if (volume) return writer.bind(volume, claim);
    const assigned = hasClass(claim) ? undefined : defaultClass(classes.list());
    if (assigned) {
      // Its own change brings the claim back here, with a class.
      await writer.updateClaim({ ...claim, spec: { ...claim.spec, storageClassName: assigned.metadata?.name ?? '' } });
      return;
    }
    if (delayed && claim.metadata?.annotations?.[SELECTED_NODE] === undefined) this.sayWhatIsAwaited(claim);
    else if (className(claim) !== '') return this.provision(claim, storageClass);
    else recorder.event(claim, 'Normal', 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set');
    await writer.setClaimStatus(claim, 'Pending');
  }

  /** The user, or an earlier bind that was not finished, names the volume. */
  private async syncRequested(claim: V1PersistentVolumeClaim, volumeName: string): Promise<void> {
    const { volumes, writer, recorder } = this.context;
    const volume = volumes.get('', volumeName);
    if (!volume) {
      await writer.setClaimStatus(claim, 'Pending');
      return;
    }
    if (isBoundTo(volume, claim)) return writer.bind(volume, claim);
    if (!volume.spec?.claimRef) {
      const problem = mismatch(volume, claim);
      if (problem === undefined) return writer.bind(volume, claim);
      recorder.event(claim, 'Warning', 'VolumeMismatch', `Cannot bind to requested volume "${volumeName}": ${problem}`);
      await writer.setClaimStatus(claim, 'Pending');
      return;
    }
    recorder.event(claim, 'Warning', 'FailedBinding', `volume "${volumeName}" already bound to a different claim.`);
    if (claim.metadata?.annotations?.[BOUND_BY_CONTROLLER] === undefined) await writer.setClaimStatus(claim, 'Pending');
    else throw new KubeError('KUBE_VOLUME_BINDING', `invalid binding of claim "${keyOf(claim)}" to volume "${volumeName}": the volume is claimed by another`);
  }

  private async syncBound(claim: V1PersistentVolumeClaim): Promise<void> {
    const { volumes, writer } = this.context;
    if (!claim.spec?.volumeName) return writer.loseClaim(claim, { reason: 'ClaimLost', message: 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!' });
    const volume = volumes.get('', claim.spec.volumeName);
    if (!volume) return writer.loseClaim(claim, { reason: 'ClaimLost', message: 'Bound claim has lost its PersistentVolume. Data on the volume is lost!' });
    const ref = volume.spec?.claimRef;
    if (!ref || ref.uid === claim.metadata?.uid) return writer.bind(volume, claim);
    await writer.loseClaim(claim, { reason: 'ClaimMisbound', message: 'Two claims are bound to the same volume, this one is bound incorrectly' });
  }

  private isDelayed(storageClass: V1StorageClass | undefined): boolean {
    if (!storageClass) return false;
    if (storageClass.volumeBindingMode === undefined) throw new KubeError('KUBE_VOLUME_BINDING', `VolumeBindingMode not set for StorageClass "${storageClass.metadata?.name}"`);
    return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  }

  private sayWhatIsAwaited(claim: V1PersistentVolumeClaim): void {
    const pods = this.context.pods.byIndex(PODS_BY_CLAIM, keyOf(claim)).filter((pod) => !isPodTerminal(pod) && !pod.spec?.nodeName).map((pod) => pod.metadata?.name ?? '');
    if (pods.length === 0) this.context.recorder.event(claim, 'Normal', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
    else this.context.recorder.event(claim, 'Normal', 'WaitForPodScheduled', `waiting for ${pods.length > 1 ? 'pods' : 'pod'} ${pods.join(',')} to be scheduled`);
  }

  /** Provisioners are others: they look for claims with their name. */
  private async provision(claim: V1PersistentVolumeClaim, storageClass: V1StorageClass | undefined): Promise<void> {
    const { recorder, writer } = this.context;
    if (!storageClass) return recorder.event(claim, 'Warning', 'ProvisioningFailed', `storageclass.storage.k8s.io "${className(claim)}" not found`);
    const { provisioner } = storageClass;
    // No volume plugin of upstream's own makes volumes here.
    if (provisioner.startsWith('kubernetes.io/')) return recorder.event(claim, 'Warning', 'ProvisioningFailed', `no volume plugin matched name: ${provisioner}`);
    const annotations = claim.metadata?.annotations ?? {};
    const told = annotations[STORAGE_PROVISIONER] === provisioner ? claim : await writer.updateClaim({
      ...claim,
      metadata: { ...claim.metadata, annotations: { ...annotations, [BETA_STORAGE_PROVISIONER]: provisioner, [STORAGE_PROVISIONER]: provisioner } },
    });
    recorder.event(told, 'Normal', 'ExternalProvisioning', `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`);
  }
}

function keyOf({ metadata }: V1PersistentVolumeClaim): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
