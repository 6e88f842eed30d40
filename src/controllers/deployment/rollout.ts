import type { V1Deployment, V1DeploymentCondition, V1DeploymentStatus, V1ReplicaSet } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { controllerOf, controllerReference } from '../../api/helpers/owner-references.js';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import type { Informer, ResourceClient } from '../../client/index.js';
import type { EventRecorder } from '../../reconcile/index.js';
import { replaceCondition } from '../shared/conditions.js';
import { isNamespaceTerminating } from '../shared/pod-control.js';
import { safeHash } from '../shared/safe-hash.js';
import { currentAnnotations, REVISION, sizeAnnotations, sizeAnnotationsDiffer } from './annotations.js';
import { deploymentCondition, deploymentStatus, hasDeadline, PROGRESSING, rolloutStatus, TIMED_OUT, type ReplicaSets } from './progress.js';
import { byRevision, findCurrent, maxRevision, sameTemplate, TEMPLATE_HASH } from './replica-sets.js';
import { nextCurrentSize } from './rolling-numbers.js';

/** What a rollout works with. */
export interface RolloutTools {
  readonly deployments: ResourceClient<V1Deployment>;
  readonly replicaSets: ResourceClient<V1ReplicaSet>;
  readonly replicaSetInformer: Informer<V1ReplicaSet>;
  readonly recorder: EventRecorder;
  readonly now: number;
}

/**
 * One reconcile of one deployment: the replica sets as they are after what was done so far, and the conditions and revision that the
 * status will get. The status is written once, at the end.
 */
export class Rollout {
  current: V1ReplicaSet | undefined;
  old: V1ReplicaSet[];
  private conditions: readonly V1DeploymentCondition[] | undefined;
  private revision: string | undefined;
  private collisionCount: number | undefined;

  constructor(
    readonly deployment: V1Deployment,
    owned: readonly V1ReplicaSet[],
    private readonly tools: RolloutTools,
  ) {
    this.current = findCurrent(deployment, owned);
    this.old = owned.filter((replicaSet) => replicaSet !== this.current);
    this.conditions = deployment.status?.conditions;
    this.revision = deployment.metadata?.annotations?.[REVISION];
    this.collisionCount = deployment.status?.collisionCount;
  }

  get sets(): ReplicaSets {
    return { current: this.current, old: this.old };
  }

  get all(): readonly V1ReplicaSet[] {
    return this.current ? [...this.old, this.current] : this.old;
  }

  get recorder(): EventRecorder {
    return this.tools.recorder;
  }

  /** Says in the `Progressing` condition that the deployment was paused or resumed. */
  notePause(): void {
    if (!hasDeadline(this.deployment)) return;
    const progress = findCondition(this.conditions, PROGRESSING);
    if (progress?.reason === TIMED_OUT) return;
    const noted = progress?.reason === 'DeploymentPaused';
    if (this.deployment.spec?.paused && !noted) this.setProgress('Unknown', 'DeploymentPaused', 'Deployment is paused');
    else if (!this.deployment.spec?.paused && noted) this.setProgress('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  }

  /** Brings the current replica set's annotations and the revision up to date; creates the replica set when it is absent and `create` says so. */
  async syncCurrent(create: boolean): Promise<void> {
    const revision = maxRevision(this.old) + 1n;
    if (this.current) {
      this.current = await this.syncExisting(this.current, revision);
      this.revision = this.current.metadata?.annotations?.[REVISION] ?? this.revision;
      if (hasDeadline(this.deployment) && !findCondition(this.conditions, PROGRESSING)) {
        this.setProgress('True', 'FoundNewReplicaSet', `Found new replica set "${this.current.metadata?.name ?? ''}"`);
      }
    } else if (create) {
      await this.createCurrent(revision);
    }
  }

  /** Changes a replica set's size and size annotations; true when the size changed. `always` writes annotations even when the size is right. */
  async scale(replicaSet: V1ReplicaSet, size: number, always = false): Promise<boolean> {
    const before = replicaSet.spec?.replicas ?? 0;
    if (before === size && !(always && sizeAnnotationsDiffer(replicaSet, this.deployment))) return false;
    const updated = await this.tools.replicaSets.update({
      ...replicaSet,
      metadata: { ...replicaSet.metadata, annotations: { ...replicaSet.metadata?.annotations, ...sizeAnnotations(this.deployment) } },
      spec: { ...replicaSet.spec!, replicas: size },
    });
    this.replace(updated);
    if (before === size) return false;
    const direction = before < size ? 'up' : 'down';
    this.recorder.event(this.deployment, 'Normal', 'ScalingReplicaSet', `Scaled ${direction} replica set ${updated.metadata?.name ?? ''} from ${before} to ${size}`);
    return true;
  }

  /** Deletes old replica sets without pods beyond the history limit, the lowest revisions first. */
  async cleanUp(): Promise<void> {
    const limit = this.deployment.spec?.revisionHistoryLimit;
    if (limit === undefined || limit === 2 ** 31 - 1) return;
    const candidates = this.old.filter((replicaSet) => !replicaSet.metadata?.deletionTimestamp).sort(byRevision);
    for (const replicaSet of candidates.slice(0, Math.max(0, candidates.length - limit))) {
      const { metadata, spec, status } = replicaSet;
      if ((status?.replicas ?? 0) !== 0 || (spec?.replicas ?? 0) !== 0 || (metadata?.generation ?? 0) > (status?.observedGeneration ?? 0)) continue;
      try {
        await this.tools.replicaSets.delete(metadata?.namespace ?? '', metadata?.name ?? '');
      } catch (error) {
        if (!StatusError.is(error, 'NotFound')) throw error;
      }
    }
  }

  /** Writes the status when it changed; returns it. `rollout` brings the progress conditions up to date too. */
  async writeStatus(rollout: boolean): Promise<V1DeploymentStatus> {
    const make = rollout ? rolloutStatus : deploymentStatus;
    const status = make(this.deployment, this.sets, this.conditions, this.collisionCount, this.tools.now);
    await this.put(status);
    return status;
  }

  private async put(status: V1DeploymentStatus): Promise<void> {
    const annotations = this.deployment.metadata?.annotations;
    const revisionChanged = this.revision !== undefined && annotations?.[REVISION] !== this.revision;
    if (!revisionChanged && deepEqual(this.deployment.status, status)) return;
    const wanted = revisionChanged ? { ...annotations, [REVISION]: this.revision! } : annotations;
    const updated = await this.tools.deployments.updateStatus({
      ...this.deployment,
      metadata: { ...this.deployment.metadata, ...(wanted ? { annotations: wanted } : {}) },
      status,
    });
    // A server may take nothing but the status from a write to the status.
    if (revisionChanged && updated.metadata?.annotations?.[REVISION] !== this.revision) {
      const { namespace = '', name = '' } = this.deployment.metadata ?? {};
      await this.tools.deployments.patch(namespace, name, 'merge', { metadata: { annotations: { [REVISION]: this.revision } } });
    }
  }

  private async syncExisting(current: V1ReplicaSet, revision: bigint): Promise<V1ReplicaSet> {
    const annotations = currentAnnotations(this.deployment, current.metadata?.annotations, revision);
    const minReadySeconds = this.deployment.spec?.minReadySeconds ?? 0;
    if (annotations === current.metadata?.annotations && (current.spec?.minReadySeconds ?? 0) === minReadySeconds) return current;
    return this.tools.replicaSets.update({ ...current, metadata: { ...current.metadata, annotations }, spec: { ...current.spec!, minReadySeconds } });
  }

  private async createCurrent(revision: bigint): Promise<void> {
    const { deployment, tools } = this;
    const wanted = this.newReplicaSet(revision);
    const name = wanted.metadata?.name ?? '';
    let created: V1ReplicaSet;
    let isNew = true;
    try {
      created = await tools.replicaSets.create(wanted);
    } catch (error) {
      if (StatusError.is(error, 'AlreadyExists')) {
        created = await this.existingOrCollision(name, error);
        isNew = false;
      } else {
        if (!isNamespaceTerminating(error)) await this.reportCreateFailure(name, error);
        throw error;
      }
    }
    this.current = created;
    this.revision = created.metadata?.annotations?.[REVISION] ?? String(revision);
    if (!isNew) return;
    const size = created.spec?.replicas ?? 0;
    if (size > 0) tools.recorder.event(deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${size}`);
    if (hasDeadline(deployment)) this.setProgress('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
  }

  private newReplicaSet(revision: bigint): V1ReplicaSet {
    const { metadata = {}, spec } = this.deployment;
    const hash = safeHash(spec?.template, this.collisionCount);
    const template = { ...spec!.template, metadata: { ...spec?.template.metadata, labels: { ...spec?.template.metadata?.labels, [TEMPLATE_HASH]: hash } } };
    return {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        // A name must stay within 253 characters.
        name: `${(metadata.name ?? '').slice(0, 253 - 1 - hash.length)}-${hash}`,
        namespace: metadata.namespace ?? '',
        ownerReferences: [controllerReference(this.deployment)],
        labels: template.metadata.labels,
        annotations: { ...currentAnnotations(this.deployment, undefined, revision), ...sizeAnnotations(this.deployment) },
      },
      spec: {
        replicas: nextCurrentSize(this.deployment, this.old, 0),
        ...(spec?.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
        selector: { ...spec!.selector, matchLabels: { ...spec?.selector.matchLabels, [TEMPLATE_HASH]: hash } },
        template,
      },
    };
  }

  /** The name is taken: by the replica set that we made and have not seen yet, or by another one with the same hash. */
  private async existingOrCollision(name: string, error: StatusError): Promise<V1ReplicaSet> {
    const namespace = this.deployment.metadata?.namespace ?? '';
    const existing = this.tools.replicaSetInformer.get(namespace, name) ?? (await this.tools.replicaSets.get(namespace, name));
    if (controllerOf(existing)?.uid === this.deployment.metadata?.uid && sameTemplate(existing.spec?.template, this.deployment.spec?.template)) return existing;
    await this.put({ ...this.deployment.status, ...(this.conditions ? { conditions: this.conditions } : {}), collisionCount: (this.collisionCount ?? 0) + 1 });
    throw error;
  }

  private async reportCreateFailure(name: string, error: unknown): Promise<void> {
    const message = `Failed to create new replica set "${name}": ${errorMessage(error)}`;
    this.recorder.event(this.deployment, 'Warning', 'ReplicaSetCreateError', message);
    if (!hasDeadline(this.deployment)) return;
    this.setProgress('False', 'ReplicaSetCreateError', message);
    try {
      await this.put({ ...this.deployment.status, conditions: this.conditions ?? [] });
    } catch {
      // The failure to create is what counts; it is thrown and tried again.
    }
  }

  private setProgress(status: 'True' | 'False' | 'Unknown', reason: string, message: string): void {
    this.conditions = replaceCondition(this.conditions, deploymentCondition(PROGRESSING, status, reason, message, this.tools.now));
  }

  private replace(updated: V1ReplicaSet): void {
    const uid = updated.metadata?.uid;
    if (this.current?.metadata?.uid === uid) this.current = updated;
    else this.old = this.old.map((replicaSet) => (replicaSet.metadata?.uid === uid ? updated : replicaSet));
  }
}
