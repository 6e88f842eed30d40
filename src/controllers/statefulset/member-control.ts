import type { V1PersistentVolumeClaim, V1Pod, V1StatefulSet } from '../../api/generated/types.js';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import type { Lister, ResourceClient } from '../../client/index.js';
import type { EventRecorder } from '../../reconcile/index.js';
import { correctedOwners, hasForeignController, isStale } from './claim-owners.js';
import { claimName, identityLabels, identityMatches, ordinalOf, storageMatches, volumesOf } from './identity.js';
import { aggregateText } from '../../api/helpers/aggregate-text.js';

/** What a set's members are made with. */
export interface MemberTools {
  readonly pods: ResourceClient<V1Pod>;
  readonly claims: ResourceClient<V1PersistentVolumeClaim>;
  readonly claimLister: Lister<V1PersistentVolumeClaim>;
  readonly recorder: EventRecorder;
}

/** Creates, mends and deletes the pods of a stateful set, with their claims. */
export class MemberControl {
  constructor(
    private readonly set: V1StatefulSet,
    private readonly tools: MemberTools,
  ) {}

  /** Claims first, then the pod. Returns the pod as created. */
  async create(pod: V1Pod): Promise<V1Pod> {
    await this.recorded('create', pod, () => this.createClaims(pod), false);
    let created: V1Pod;
    try {
      created = await this.tools.pods.create(pod);
    } catch (error) {
      if (!StatusError.is(error, 'AlreadyExists')) this.record('create', pod, error);
      throw error;
    }
    await this.recorded('update', created, () => this.fixClaimOwners(created), false);
    this.record('create', created);
    return created;
  }

  /** Claims that a pending pod waits for may have been deleted by somebody. */
  async restoreClaims(pod: V1Pod): Promise<void> {
    await this.createClaims(pod);
    await this.recorded('update', pod, () => this.fixClaimOwners(pod), false);
  }

  /** Brings labels, volumes and the owners of claims in line. */
  async mend(pod: V1Pod): Promise<void> {
    const identity = identityMatches(this.set, pod);
    const storage = storageMatches(this.set, pod);
    if (identity && storage && this.claimOwnersMatch(pod)) return;
    await this.recorded('update', pod, async () => {
      if (!storage) await this.createClaims(pod);
      await this.fixClaimOwners(pod);
      if (identity && storage) return;
      const name = pod.metadata?.name ?? '';
      await this.tools.pods.update({
        ...pod,
        metadata: { ...pod.metadata, labels: { ...pod.metadata?.labels, ...identityLabels(name, ordinalOf(pod)) } },
        spec: { ...pod.spec!, ...volumesOf(this.set, pod, ordinalOf(pod)) },
      });
    }, !(identity && storage));
  }

  async delete(pod: V1Pod): Promise<void> {
    await this.recorded('delete', pod, async () => {
      try {
        // Never a younger pod of the same name.
        await this.tools.pods.delete(pod.metadata?.namespace ?? '', pod.metadata?.name ?? '', pod.metadata?.uid ? { preconditions: { uid: pod.metadata.uid } } : {});
      } catch (error) {
        if (!StatusError.is(error, 'NotFound') && !StatusError.is(error, 'Conflict')) throw error;
      }
    }, true);
  }

  /** A claim of this pod is on its way out with an earlier pod of the same name. */
  hasStaleClaim(pod: V1Pod): boolean {
    if (this.set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
    return this.claimsOf(pod).some((claim) => isStale(claim, pod));
  }

  claimOwnersMatch(pod: V1Pod): boolean {
    return this.claimsOf(pod).every((claim) => correctedOwners(claim, this.set, pod) === undefined);
  }

  async fixClaimOwners(pod: V1Pod): Promise<void> {
    for (const claim of this.claimsOf(pod)) {
      const name = claim.metadata?.name ?? '';
      if (hasForeignController(claim, this.set, pod)) {
        this.tools.recorder.event(this.set, 'Warning', 'ConflictingController',
          `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`);
      }
      const ownerReferences = correctedOwners(claim, this.set, pod);
      if (!ownerReferences) continue;
      try {
        await this.tools.claims.update({ ...claim, metadata: { ...claim.metadata, ownerReferences } });
      } catch (error) {
        throw new Error(`could not update claim ${name} for delete policy ownerRefs: ${errorMessage(error)}`, { cause: error });
      }
    }
  }

  private claimsOf(pod: V1Pod): V1PersistentVolumeClaim[] {
    const namespace = this.set.metadata?.namespace ?? '';
    return (this.set.spec?.volumeClaimTemplates ?? [])
      .map((template) => this.tools.claimLister.get(namespace, claimName(this.set, template, ordinalOf(pod))))
      .filter((claim) => claim !== undefined);
  }

  private async createClaims(pod: V1Pod): Promise<void> {
    const errors: string[] = [];
    const namespace = this.set.metadata?.namespace ?? '';
    for (const template of this.set.spec?.volumeClaimTemplates ?? []) {
      const name = claimName(this.set, template, ordinalOf(pod));
      const present = this.tools.claimLister.get(namespace, name);
      if (present?.metadata?.deletionTimestamp) errors.push(`pvc ${name} is being deleted`);
      if (present) continue;
      const { status: _unused, ...rest } = template;
      try {
        await this.tools.claims.create({
          ...rest,
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { ...template.metadata, name, namespace, labels: { ...template.metadata?.labels, ...this.set.spec?.selector.matchLabels } },
        });
        this.recordClaim(name, pod);
      } catch (error) {
        if (StatusError.is(error, 'AlreadyExists')) continue;
        errors.push(`failed to create PVC ${name}: ${errorMessage(error)}`);
        this.recordClaim(name, pod, error);
      }
    }
    if (errors.length > 0) throw new Error(aggregateText(errors));
  }

  private async recorded(verb: string, pod: V1Pod, action: () => Promise<void>, recordSuccess: boolean): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.record(verb, pod, error);
      throw error;
    }
    if (recordSuccess) this.record(verb, pod);
  }

  private record(verb: string, pod: V1Pod, error?: unknown): void {
    const title = titled(verb);
    const subject = `${title} Pod ${pod.metadata?.name ?? ''} in StatefulSet ${this.set.metadata?.name ?? ''}`;
    if (error === undefined) this.tools.recorder.event(this.set, 'Normal', `Successful${title}`, `${subject} successful`);
    else this.tools.recorder.event(this.set, 'Warning', `Failed${title}`, `${subject} failed error: ${errorMessage(error)}`);
  }

  private recordClaim(claim: string, pod: V1Pod, error?: unknown): void {
    const where = `Pod ${pod.metadata?.name ?? ''} in StatefulSet ${this.set.metadata?.name ?? ''}`;
    if (error === undefined) this.tools.recorder.event(this.set, 'Normal', 'SuccessfulCreate', `Create Claim ${claim} ${where} success`);
    else this.tools.recorder.event(this.set, 'Warning', 'FailedCreate', `Create Claim ${claim} for ${where} failed error: ${errorMessage(error)}`);
  }
}

function titled(verb: string): string {
  return verb.charAt(0).toUpperCase() + verb.slice(1);
}
