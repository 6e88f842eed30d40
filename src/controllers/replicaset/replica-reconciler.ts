import type { V1Pod } from '../../api/generated/types.js';
import { controllerOf, controllerReference, isControlledBy } from '../../api/helpers/owner-references.js';
import { isPodActive, isPodReady, isPodTerminating } from '../../api/helpers/pod-state.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { Informer, ResourceClient } from '../../client/index.js';
import type { ReconcileResult, WorkQueue } from '../../reconcile/index.js';
import type { Controller, ControllerContext } from '../controller.js';
import { claim } from '../shared/adoption.js';
import { coalesceMilliseconds } from '../shared/coalesce.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { Expectations } from '../shared/expectations.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { ownerIndex, type OwnerIndex } from '../shared/owner-index.js';
import { nextAvailability } from '../shared/pod-availability.js';
import { isNamespaceTerminating, PodControl } from '../shared/pod-control.js';
import { rankForDeletion } from '../shared/pod-ranking.js';
import { SelectorCache } from '../shared/selector-cache.js';
import { slowStart } from '../shared/slow-start.js';
import { updateStatus } from '../shared/status-update.js';
import type { ReplicaKind, ReplicaOwner } from './replica-kind.js';
import { replicaStatus } from './replica-status.js';

/** Pods created or deleted in one go. */
const BURST = 500;

/** Starts the controller of one of the two kinds that keep a number of equal pods. */
export function startReplicaController<T extends ReplicaOwner>(context: ControllerContext, kind: ReplicaKind<T>): Controller {
  const queue = controllerQueue(context, kind.controller);
  const reconciler = new ReplicaReconciler(context, kind, queue);
  return controllerLoop(context, queue, {
    name: kind.controller,
    informers: reconciler.informers,
    reconcile: (key) => reconciler.reconcile(key),
    cleanup: reconciler.watch(),
  });
}

class ReplicaReconciler<T extends ReplicaOwner> {
  private readonly owners: Informer<T>;
  private readonly pods: Informer<V1Pod>;
  private readonly podsByOwner: OwnerIndex<V1Pod>;
  private readonly ownersByOwner: OwnerIndex<T>;
  private readonly client: ResourceClient<T>;
  private readonly podControl: PodControl;
  private readonly expectations: Expectations;
  private readonly selectors = new SelectorCache();

  constructor(
    private readonly context: ControllerContext,
    private readonly kind: ReplicaKind<T>,
    private readonly queue: WorkQueue,
  ) {
    this.owners = context.informers.informer(kind.ref);
    this.pods = context.informers.informer(PODS);
    this.podsByOwner = ownerIndex(this.pods);
    this.ownersByOwner = ownerIndex(this.owners);
    this.client = context.client.resource(kind.ref);
    this.podControl = new PodControl(context.client, context.recorder);
    this.expectations = new Expectations(context.clock);
  }

  get informers(): readonly [Informer<T>, Informer<V1Pod>] {
    return [this.owners, this.pods];
  }

  watch(): (() => void)[] {
    return [
      this.owners.addHandler({
        add: (owner) => this.queue.add(keyOf(owner)),
        update: (owner) => this.queue.add(keyOf(owner)),
        delete: (owner) => {
          this.expectations.forget(keyOf(owner));
          this.queue.add(keyOf(owner));
        },
      }),
      this.pods.addHandler({
        add: (pod) => this.podAdded(pod),
        update: (pod, previous) => this.podUpdated(pod, previous),
        delete: (pod) => this.podGone(pod),
      }),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key);
    const owner = this.owners.get(namespace, name);
    if (!owner) return this.expectations.forget(key);
    const selector = this.kind.selectorOf(owner, this.selectors);
    const settled = this.expectations.satisfied(key);
    const candidates = this.podsByOwner.candidatesOf(owner);
    const active = await claim({
      owner,
      reference: controllerReference(owner),
      selector,
      candidates: candidates.filter(isPodActive),
      owners: this.client,
      objects: this.podControl.pods,
    });
    const terminating = this.kind.countsTerminating
      ? candidates.filter((pod) => isPodTerminating(pod) && isControlledBy(pod, owner) && selector.matches(pod.metadata?.labels)).length
      : undefined;

    let failure: unknown;
    if (settled && owner.metadata?.deletionTimestamp === undefined) failure = await this.manage(key, owner, active);
    const now = this.context.clock.now();
    const status = replicaStatus(owner, active, terminating, failure, now);
    if (!deepEqual(owner.status, status)) {
      await updateStatus(this.client, owner, (current) => ({ ...current, status }));
    }
    if (failure !== undefined) throw failure;
    const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
    if (minReadySeconds > 0 && status.readyReplicas !== status.availableReplicas) {
      return { requeueAfterMilliseconds: nextAvailability(active, minReadySeconds, now) ?? minReadySeconds * 1000 };
    }
    return undefined;
  }

  /** Creates or deletes pods; returns what went wrong. */
  private async manage(key: string, owner: T, active: readonly V1Pod[]): Promise<unknown> {
    const difference = active.length - (owner.spec?.replicas ?? 0);
    if (difference < 0) return this.createPods(key, owner, Math.min(-difference, BURST));
    if (difference > 0) return this.deletePods(key, owner, active, Math.min(difference, BURST));
    return undefined;
  }

  private async createPods(key: string, owner: T, count: number): Promise<unknown> {
    this.expectations.expectCreations(key, count);
    const reference = controllerReference(owner);
    let created = 0;
    const { error } = await slowStart(count, async () => {
      try {
        await this.podControl.createFromTemplate(owner, owner.spec?.template, reference);
        created += 1;
      } catch (failure) {
        // All creations fail in a namespace that goes away, and it will soon be gone.
        if (!isNamespaceTerminating(failure)) throw failure;
      }
    });
    for (let missing = count - created; missing > 0; missing--) this.expectations.creationObserved(key);
    return error;
  }

  private async deletePods(key: string, owner: T, active: readonly V1Pod[], count: number): Promise<unknown> {
    const victims = count < active.length ? this.rank(owner, active).slice(0, count) : active;
    this.expectations.expectDeletions(key, victims.map(keyOf));
    let failure: unknown;
    await Promise.all(victims.map(async (pod) => {
      try {
        await this.podControl.delete(owner, pod.metadata?.namespace ?? '', pod.metadata?.name ?? '');
      } catch (error) {
        this.expectations.deletionObserved(key, keyOf(pod));
        if (!StatusError.is(error, 'NotFound')) failure ??= error;
      }
    }));
    return failure;
  }

  private rank(owner: T, active: readonly V1Pod[]): V1Pod[] {
    const perNode = new Map<string, number>();
    for (const sibling of this.siblingsOf(owner)) {
      for (const pod of this.podsByOwner.ownedBy(sibling)) {
        const node = pod.spec?.nodeName ?? '';
        if (isPodActive(pod)) perNode.set(node, (perNode.get(node) ?? 0) + 1);
      }
    }
    return rankForDeletion(active, (node) => perNode.get(node) ?? 0, this.context.clock.now());
  }

  private siblingsOf(owner: T): readonly T[] {
    const uid = controllerOf(owner)?.uid;
    return this.kind.hasSiblings && uid !== undefined ? this.ownersByOwner.ownedBy({ metadata: { uid } }) : [owner];
  }

  private podAdded(pod: V1Pod): void {
    // After a restart a pod may first be seen while it is being deleted.
    if (pod.metadata?.deletionTimestamp) return this.podGone(pod);
    const owner = this.ownerOf(pod);
    if (owner) {
      const key = keyOf(owner);
      this.expectations.creationObserved(key);
      this.enqueue(owner);
    } else if (!controllerOf(pod)) this.enqueueMatching(pod);
  }

  private podUpdated(pod: V1Pod, previous: V1Pod): void {
    const labelsChanged = !deepEqual(pod.metadata?.labels, previous.metadata?.labels);
    if (pod.metadata?.deletionTimestamp) {
      // A graceful deletion: the replacement must not wait for its end.
      this.podGone(pod);
      if (labelsChanged) this.podGone(previous);
      return;
    }
    const ownerChanged = controllerOf(pod)?.uid !== controllerOf(previous)?.uid;
    if (ownerChanged) {
      const before = this.ownerOf(previous);
      if (before) this.queue.add(keyOf(before));
    }
    const owner = this.ownerOf(pod);
    if (owner) {
      this.enqueue(owner);
      const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
      if (minReadySeconds > 0 && isPodReady(pod) && !isPodReady(previous)) this.queue.addAfter(keyOf(owner), (minReadySeconds + 1) * 1000);
    } else if (!controllerOf(pod) && (labelsChanged || ownerChanged)) this.enqueueMatching(pod);
  }

  private podGone(pod: V1Pod): void {
    const owner = this.ownerOf(pod);
    if (!owner) return;
    const key = keyOf(owner);
    this.expectations.deletionObserved(key, keyOf(pod));
    this.enqueue(owner);
  }

  private enqueue(owner: T): void {
    this.queue.addAfter(keyOf(owner), coalesceMilliseconds(owner.spec?.replicas ?? 0));
  }

  private ownerOf(pod: V1Pod): T | undefined {
    const reference = controllerOf(pod);
    if (reference?.kind !== this.kind.ref.kind) return undefined;
    const owner = this.owners.get(pod.metadata?.namespace ?? '', reference.name);
    return owner?.metadata?.uid === reference.uid ? owner : undefined;
  }

  private enqueueMatching(pod: V1Pod): void {
    for (const owner of this.owners.list(pod.metadata?.namespace ?? '')) {
      if (this.kind.selectorOf(owner, this.selectors).matches(pod.metadata?.labels)) this.queue.add(keyOf(owner));
    }
  }
}
