import type { V1Deployment, V1Pod, V1ReplicaSet } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { controllerOf, controllerReference } from '../../api/helpers/owner-references.js';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../api/resource-refs.js';
import type { Informer, ResourceClient } from '../../client/index.js';
import type { ReconcileResult, WorkQueue } from '../../reconcile/index.js';
import type { ControllerContext, ControllerDescriptor } from '../controller.js';
import { claim } from '../shared/adoption.js';
import { controllerLoop, controllerQueue, enqueueOwnEvents } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { ownerIndex, type OwnerIndex } from '../shared/owner-index.js';
import { SelectorCache } from '../shared/selector-cache.js';
import { progressCheckAfter } from './progress.js';
import { requestedRollback, rollBack } from './rollback.js';
import { Rollout } from './rollout.js';
import { isScaling, recreate, rollForward, scaleOnly } from './strategies.js';

/** Rolls out deployments through replica sets. */
export const deploymentController: ControllerDescriptor = {
  name: 'deployment-controller',
  serviceAccount: 'deployment-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'deployment');
    const reconciler = new DeploymentReconciler({ ...context, recorder: context.recorder.withComponent('deployment-controller') }, queue);
    return controllerLoop(context, queue, {
      name: 'deployment',
      informers: reconciler.informers,
      reconcile: (key) => reconciler.reconcile(key),
      cleanup: reconciler.watch(),
    });
  },
};

class DeploymentReconciler {
  private readonly deployments: Informer<V1Deployment>;
  private readonly replicaSets: Informer<V1ReplicaSet>;
  private readonly pods: Informer<V1Pod>;
  private readonly replicaSetsByOwner: OwnerIndex<V1ReplicaSet>;
  private readonly podsByOwner: OwnerIndex<V1Pod>;
  private readonly selectors = new SelectorCache();
  private readonly client: ResourceClient<V1Deployment>;
  private readonly replicaSetClient: ResourceClient<V1ReplicaSet>;

  constructor(
    private readonly context: ControllerContext,
    private readonly queue: WorkQueue,
  ) {
    this.deployments = context.informers.informer(DEPLOYMENTS);
    this.replicaSets = context.informers.informer(REPLICA_SETS);
    this.pods = context.informers.informer(PODS);
    this.replicaSetsByOwner = ownerIndex(this.replicaSets);
    this.podsByOwner = ownerIndex(this.pods);
    this.client = context.client.resource(DEPLOYMENTS);
    this.replicaSetClient = context.client.resource(REPLICA_SETS);
  }

  get informers(): readonly [Informer<V1Deployment>, Informer<V1ReplicaSet>, Informer<V1Pod>] {
    return [this.deployments, this.replicaSets, this.pods];
  }

  watch(): (() => void)[] {
    return [
      enqueueOwnEvents(this.deployments, this.queue, keyOf),
      this.replicaSets.addHandler({
        add: (replicaSet) => this.replicaSetSeen(replicaSet, undefined),
        update: (replicaSet, previous) => this.replicaSetSeen(replicaSet, previous),
        delete: (replicaSet) => this.enqueueOwner(replicaSet),
      }),
      this.pods.addHandler({ delete: (pod) => this.podGone(pod) }),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key);
    const deployment = this.deployments.get(namespace, name);
    if (!deployment) return undefined;
    if (isEverything(deployment)) return this.refuseToSelectAll(deployment);
    const now = this.context.clock.now();
    const owned = await claim({
      owner: deployment,
      reference: controllerReference(deployment),
      selector: this.selectors.of(deployment.spec?.selector),
      candidates: this.replicaSetsByOwner.candidatesOf(deployment),
      owners: this.client,
      objects: this.replicaSetClient,
    });
    const rollout = new Rollout(deployment, owned, {
      deployments: this.client,
      replicaSets: this.replicaSetClient,
      replicaSetInformer: this.replicaSets,
      recorder: this.context.recorder,
      now,
    });
    const status = await this.step(rollout);
    const after = status && progressCheckAfter(deployment, status, now);
    return after === undefined ? undefined : { requeueAfterMilliseconds: after };
  }

  private async step(rollout: Rollout): Promise<V1Deployment['status']> {
    const { deployment } = rollout;
    if (deployment.metadata?.deletionTimestamp) {
      await rollout.syncCurrent(false);
      return rollout.writeStatus(false);
    }
    rollout.notePause();
    const rollback = requestedRollback(deployment);
    if (deployment.spec?.paused) {
      await rollout.syncCurrent(false);
      await scaleOnly(rollout);
      if (rollback === undefined) await rollout.cleanUp();
      return rollout.writeStatus(false);
    }
    if (rollback !== undefined) {
      await rollBack(rollout, this.client, rollback);
      return undefined;
    }
    await rollout.syncCurrent(false);
    if (isScaling(rollout)) {
      await scaleOnly(rollout);
      return rollout.writeStatus(false);
    }
    if (deployment.spec?.strategy?.type === 'Recreate') await recreate(rollout, (replicaSet) => this.podsByOwner.ownedBy(replicaSet));
    else await rollForward(rollout);
    return rollout.writeStatus(true);
  }

  private async refuseToSelectAll(deployment: V1Deployment): Promise<ReconcileResult> {
    this.context.recorder.event(deployment, 'Warning', 'SelectingAll', 'This deployment is selecting all pods. A non-empty selector is required.');
    const generation = deployment.metadata?.generation ?? 0;
    if ((deployment.status?.observedGeneration ?? 0) < generation) await this.client.updateStatus({ ...deployment, status: { ...deployment.status, observedGeneration: generation } });
    return undefined;
  }

  private replicaSetSeen(replicaSet: V1ReplicaSet, previous: V1ReplicaSet | undefined): void {
    const before = previous && controllerOf(previous);
    const owner = controllerOf(replicaSet);
    if (previous && before && before.uid !== owner?.uid) this.enqueueOwner(previous);
    if (owner) return this.enqueueOwner(replicaSet);
    const labelsChanged = previous !== undefined && !deepEqual(previous.metadata?.labels, replicaSet.metadata?.labels);
    if (previous && !labelsChanged && !before) return;
    for (const deployment of this.deployments.list(replicaSet.metadata?.namespace ?? '')) {
      if (!isEverything(deployment) && this.selectors.of(deployment.spec?.selector).matches(replicaSet.metadata?.labels)) this.queue.add(keyOf(deployment));
    }
  }

  private enqueueOwner(replicaSet: V1ReplicaSet): void {
    const deployment = this.ownerOf(replicaSet);
    if (deployment) this.queue.add(keyOf(deployment));
  }

  private ownerOf(replicaSet: V1ReplicaSet): V1Deployment | undefined {
    const reference = controllerOf(replicaSet);
    if (reference?.kind !== 'Deployment') return undefined;
    const deployment = this.deployments.get(replicaSet.metadata?.namespace ?? '', reference.name);
    return deployment?.metadata?.uid === reference.uid ? deployment : undefined;
  }

  /** A deployment that recreates its pods waits for the last old one to go. */
  private podGone(pod: V1Pod): void {
    const reference = controllerOf(pod);
    if (reference?.kind !== 'ReplicaSet') return;
    const replicaSet = this.replicaSets.get(pod.metadata?.namespace ?? '', reference.name);
    const deployment = replicaSet && this.ownerOf(replicaSet);
    if (deployment?.spec?.strategy?.type !== 'Recreate') return;
    if (this.replicaSetsByOwner.ownedBy(deployment).every((sibling) => this.podsByOwner.ownedBy(sibling).length === 0)) this.queue.add(keyOf(deployment));
  }
}

function isEverything(deployment: V1Deployment): boolean {
  const selector = deployment.spec?.selector;
  return selector !== undefined && Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}
