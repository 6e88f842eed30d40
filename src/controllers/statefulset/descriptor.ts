import type { V1PersistentVolumeClaim, V1Pod, V1StatefulSet } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { controllerOf, controllerReference } from '../../api/helpers/owner-references.js';
import { PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '../../api/resource-refs.js';
import type { Informer, ResourceClient } from '../../client/index.js';
import type { ReconcileResult, WorkQueue } from '../../reconcile/index.js';
import type { ControllerContext, ControllerDescriptor } from '../controller.js';
import { claim } from '../shared/adoption.js';
import { controllerLoop, controllerQueue, enqueueOwnEvents } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { ownerIndex, type OwnerIndex } from '../shared/owner-index.js';
import { nextAvailability } from '../shared/pod-availability.js';
import { isNamespaceTerminating } from '../shared/pod-control.js';
import { RevisionHistory, templateData, templateOf } from '../shared/revisions.js';
import { updateStatus } from '../shared/status-update.js';
import { SelectorCache } from '../shared/selector-cache.js';
import { parsePodName, podRevision } from './identity.js';
import { MemberControl } from './member-control.js';
import { SetRollout } from './rollout.js';
import { countPods, setStatus, type SetRevisions } from './status.js';

/** Keeps pods with stable identities and storage. */
export const statefulSetController: ControllerDescriptor = {
  name: 'statefulset-controller',
  serviceAccount: 'statefulset-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'statefulset');
    const reconciler = new StatefulSetReconciler({ ...context, recorder: context.recorder.withComponent('statefulset-controller') }, queue);
    return controllerLoop(context, queue, {
      name: 'statefulset',
      informers: reconciler.informers,
      reconcile: (key) => reconciler.reconcile(key),
      cleanup: reconciler.watch(),
    });
  },
};

class StatefulSetReconciler {
  private readonly sets: Informer<V1StatefulSet>;
  private readonly pods: Informer<V1Pod>;
  private readonly claims: Informer<V1PersistentVolumeClaim>;
  private readonly podsByOwner: OwnerIndex<V1Pod>;
  private readonly selectors = new SelectorCache();
  private readonly history: RevisionHistory;
  private readonly client: ResourceClient<V1StatefulSet>;
  private readonly podClient: ResourceClient<V1Pod>;

  constructor(
    private readonly context: ControllerContext,
    private readonly queue: WorkQueue,
  ) {
    const { client, informers } = context;
    this.sets = informers.informer(STATEFUL_SETS);
    this.pods = informers.informer(PODS);
    this.claims = informers.informer(PERSISTENT_VOLUME_CLAIMS);
    this.podsByOwner = ownerIndex(this.pods);
    this.history = new RevisionHistory(client, informers);
    this.client = client.resource(STATEFUL_SETS);
    this.podClient = client.resource(PODS);
  }

  get informers(): readonly Pick<Informer<V1Pod>, 'whenSynced'>[] {
    return [this.sets, this.pods, this.claims, this.history.informer];
  }

  watch(): (() => void)[] {
    return [
      enqueueOwnEvents(this.sets, this.queue, keyOf),
      this.pods.addHandler({
        add: (pod) => this.podSeen(pod, undefined),
        update: (pod, previous) => this.podSeen(pod, previous),
        delete: (pod) => this.enqueueOwner(pod),
      }),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key);
    const set = this.sets.get(namespace, name);
    if (!set) return undefined;
    const selector = this.selectors.of(set.spec?.selector);
    const revisions = await this.history.list(set, selector, this.client);
    const pods = await claim({
      owner: set,
      reference: controllerReference(set),
      selector,
      candidates: this.podsByOwner.candidatesOf(set),
      filter: (pod) => parsePodName(pod.metadata?.name ?? '').parent === name,
      owners: this.client,
      objects: this.podClient,
    });
    const now = this.context.clock.now();
    const ensured = await this.history.ensure(set, revisions, templateData(set.spec?.template), set.spec?.template.metadata?.labels, set.status?.collisionCount ?? 0);
    const current = revisions.find((revision) => revision.metadata?.name === set.status?.currentRevision) ?? ensured.revision;
    const between: SetRevisions = { current: current.metadata?.name ?? '', update: ensured.revision.metadata?.name ?? '', collisionCount: ensured.collisionCount };
    try {
      return await this.roll(set, { ...set, spec: { ...set.spec!, template: templateOf(current) ?? set.spec!.template } }, between, pods, now);
    } finally {
      const inUse = new Set([between.current, between.update, ...pods.map(podRevision)]);
      await this.history.truncate(revisions, inUse, set.spec?.revisionHistoryLimit ?? 10);
    }
  }

  private async roll(set: V1StatefulSet, current: V1StatefulSet, revisions: SetRevisions, pods: readonly V1Pod[], now: number): Promise<ReconcileResult> {
    const control = new MemberControl(set, {
      pods: this.podClient,
      claims: this.context.client.resource(PERSISTENT_VOLUME_CLAIMS),
      claimLister: this.claims,
      recorder: this.context.recorder,
    });
    const rollout = new SetRollout(set, { current, update: set }, revisions, control, pods, now);
    let failure: unknown;
    if (!set.metadata?.deletionTimestamp) await rollout.run().catch((error: unknown) => (failure = error));
    const counts = set.metadata?.deletionTimestamp ? countPods(pods, set, revisions, now) : rollout.counts();
    const status = setStatus(set, counts, revisions);
    if (!deepEqual(set.status, status)) await updateStatus(this.client, set, (latest) => ({ ...latest, status }));
    // In a namespace that goes away nothing can be created any more.
    if (failure !== undefined && !isNamespaceTerminating(failure)) throw failure;
    const minReadySeconds = set.spec?.minReadySeconds ?? 0;
    if (minReadySeconds > 0 && counts.ready !== counts.available) return { requeueAfterMilliseconds: nextAvailability(pods, minReadySeconds, now) ?? minReadySeconds * 1000 };
    return undefined;
  }

  private podSeen(pod: V1Pod, previous: V1Pod | undefined): void {
    const owner = controllerOf(pod);
    const before = previous && controllerOf(previous);
    if (previous && before && before.uid !== owner?.uid) this.enqueueOwner(previous);
    if (owner) return this.enqueueOwner(pod);
    if (pod.metadata?.deletionTimestamp || (previous && !before && deepEqual(pod.metadata?.labels, previous.metadata?.labels))) return;
    for (const set of this.sets.list(pod.metadata?.namespace ?? '')) {
      if (this.selectors.of(set.spec?.selector).matches(pod.metadata?.labels)) this.queue.add(keyOf(set));
    }
  }

  private enqueueOwner(pod: V1Pod): void {
    const reference = controllerOf(pod);
    if (reference?.kind !== 'StatefulSet') return;
    const set = this.sets.get(pod.metadata?.namespace ?? '', reference.name);
    if (set?.metadata?.uid === reference.uid) this.queue.add(keyOf(set));
  }
}
