import type { V1ObjectReference, V1PersistentVolume, V1PersistentVolumeClaim } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../api/resource-refs.js';
import type { Client } from '../../client/index.js';
import type { EventRecorder } from '../../reconcile/index.js';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from './annotations.js';
import { isBoundTo } from './facts.js';
import type { WriteThrough } from './write-through.js';

/** An event to record with a change of phase. */
export interface PhaseEvent {
  readonly reason: string;
  readonly message: string;
}

/** Reference to a claim, as volumes carry it. */
export function claimReference({ metadata }: V1PersistentVolumeClaim): V1ObjectReference {
  return {
    kind: 'PersistentVolumeClaim', apiVersion: 'v1',
    ...(metadata?.namespace ? { namespace: metadata.namespace } : {}), ...(metadata?.name ? { name: metadata.name } : {}), ...(metadata?.uid ? { uid: metadata.uid } : {}),
    ...(metadata?.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
  };
}

/** The writes of the binder. Each changes nothing when all is as wanted, so that a bind that was interrupted anywhere is finished by the next. */
export class BindingWriter {
  constructor(
    private readonly client: Client,
    private readonly volumes: WriteThrough<V1PersistentVolume>,
    private readonly claims: WriteThrough<V1PersistentVolumeClaim>,
    private readonly recorder: EventRecorder,
  ) {}

  /** Volume first: from then on nobody else gets it. */
  async bind(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): Promise<void> {
    const bound = await this.setVolumePhase(await this.bindVolume(volume, claim), 'Bound');
    await this.setClaimStatus(await this.bindClaim(claim, bound), 'Bound', bound);
  }

  /** Takes the claim away that the controller had chosen; one that the user had set apart is only forgotten in person. */
  async unbind(volume: V1PersistentVolume): Promise<void> {
    const { [BOUND_BY_CONTROLLER]: byController, ...annotations } = volume.metadata?.annotations ?? {};
    const { claimRef, ...spec } = volume.spec ?? {};
    const { uid: _uid, ...user } = claimRef ?? {};
    const free = byController !== undefined
      ? { ...volume, metadata: { ...volume.metadata, annotations }, spec }
      : { ...volume, spec: { ...spec, claimRef: user } };
    await this.setVolumePhase(await this.updateVolume(free), 'Available');
  }

  /** Changes the phase of a volume, with an event when there is one and the phase is new. */
  async setVolumePhase(volume: V1PersistentVolume, phase: string, event?: PhaseEvent): Promise<V1PersistentVolume> {
    if (volume.status?.phase === phase) return volume;
    const written = await this.client.resource(PERSISTENT_VOLUMES).updateStatus({ ...volume, status: { ...volume.status, phase, message: event?.message ?? '' } });
    this.volumes.store(written);
    if (event) this.recorder.event(written, 'Warning', event.reason, event.message);
    return written;
  }

  /** Brings the status of a claim in line with its volume. */
  async setClaimStatus(claim: V1PersistentVolumeClaim, phase: string, volume?: V1PersistentVolume): Promise<V1PersistentVolumeClaim> {
    const { accessModes, capacity, currentVolumeAttributesClassName, ...rest } = claim.status ?? {};
    const changed = claim.status?.phase !== phase;
    const { accessModes: modes, capacity: size, volumeAttributesClassName: attributes } = volume?.spec ?? {};
    // The size of a claim that is bound already is the business of whoever resizes it.
    const newSize = volume && !changed ? capacity : size;
    const newAttributes = volume && !(claim.status?.phase === 'Pending' && phase === 'Bound') ? currentVolumeAttributesClassName : attributes;
    const status = {
      ...rest, phase,
      ...(modes ? { accessModes: modes } : {}), ...(newSize ? { capacity: newSize } : {}), ...(newAttributes !== undefined ? { currentVolumeAttributesClassName: newAttributes } : {}),
    };
    if (deepEqual(status, { ...rest, phase: claim.status?.phase, ...(accessModes ? { accessModes } : {}), ...(capacity ? { capacity } : {}), ...(currentVolumeAttributesClassName !== undefined ? { currentVolumeAttributesClassName } : {}) })) return claim;
    const written = await this.client.resource(PERSISTENT_VOLUME_CLAIMS).updateStatus({ ...claim, status });
    this.claims.store(written);
    return written;
  }

  /** The claim has lost its volume; says so once. */
  async loseClaim(claim: V1PersistentVolumeClaim, { reason, message }: PhaseEvent): Promise<void> {
    if (claim.status?.phase === 'Lost') return;
    this.recorder.event(await this.setClaimStatus(claim, 'Lost'), 'Warning', reason, message);
  }

  /** Writes a claim. */
  async updateClaim(claim: V1PersistentVolumeClaim): Promise<V1PersistentVolumeClaim> {
    const written = await this.client.resource(PERSISTENT_VOLUME_CLAIMS).update(claim);
    this.claims.store(written);
    return written;
  }

  private async bindVolume(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): Promise<V1PersistentVolume> {
    const ref = volume.spec?.claimRef;
    const { uid, name, namespace } = claim.metadata ?? {};
    if (ref && ref.uid === uid && ref.name === name && ref.namespace === namespace) return volume;
    const annotations = isBoundTo(volume, claim) ? volume.metadata?.annotations : { ...volume.metadata?.annotations, [BOUND_BY_CONTROLLER]: 'yes' };
    return this.updateVolume({ ...volume, metadata: { ...volume.metadata, ...(annotations ? { annotations } : {}) }, spec: { ...volume.spec, claimRef: claimReference(claim) } });
  }

  private async bindClaim(claim: V1PersistentVolumeClaim, volume: V1PersistentVolume): Promise<V1PersistentVolumeClaim> {
    const { annotations = {} } = claim.metadata ?? {};
    const volumeName = volume.metadata?.name ?? '';
    const chosen = claim.spec?.volumeName !== volumeName;
    if (!chosen && annotations[BIND_COMPLETED] !== undefined) return claim;
    const added = { ...(chosen ? { [BOUND_BY_CONTROLLER]: 'yes' } : {}), [BIND_COMPLETED]: 'yes' };
    return this.updateClaim({ ...claim, metadata: { ...claim.metadata, annotations: { ...added, ...annotations } }, spec: { ...claim.spec, volumeName } });
  }

  private async updateVolume(volume: V1PersistentVolume): Promise<V1PersistentVolume> {
    const written = await this.client.resource(PERSISTENT_VOLUMES).update(volume);
    this.volumes.store(written);
    return written;
  }
}
