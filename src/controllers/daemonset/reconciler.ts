import type { V1ControllerRevision, V1DaemonSet, V1Node, V1Pod } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { controllerOf, controllerReference } from '../../api/helpers/owner-references.js';
import { isPodReady, isPodTerminal } from '../../api/helpers/pod-state.js';
import { DAEMON_SETS, NODES, PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { Informer, ResourceClient } from '../../client/index.js';
import type { ReconcileResult, WorkQueue } from '../../reconcile/index.js';
import type { ControllerContext } from '../controller.js';
import { claim } from '../shared/adoption.js';
import { coalesceMilliseconds } from '../shared/coalesce.js';
import { Expectations } from '../shared/expectations.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { ownerIndex, type OwnerIndex } from '../shared/owner-index.js';
import { isNamespaceTerminating, PodControl } from '../shared/pod-control.js';
import { RevisionHistory, templateData } from '../shared/revisions.js';
import { slowStart } from '../shared/slow-start.js';
import { updateStatus } from '../shared/status-update.js';
import { SelectorCache } from '../shared/selector-cache.js';
import { daemonTemplate, pinned, REVISION_LABEL, targetNode } from './daemon-pod.js';
import { eligibilityOf } from './eligibility.js';
import { FailedPodBackoff } from './failed-pod-backoff.js';
import { planPlacement, planUpdate, type DaemonPlan, type DaemonView, type NodePods } from './plan.js';
import { daemonStatus } from './status.js';

/** Pods created or deleted in one go. */
const BURST = 250;

/** The revision of a set's template, with the older ones. */
interface Revisions {
  readonly current: V1ControllerRevision;
  readonly old: readonly V1ControllerRevision[];
  readonly hash: string;
  readonly collisionCount: number | undefined;
}

/** Reconciles daemon sets; see `daemonSetController`. */
export class DaemonSetReconciler {
  private readonly sets: Informer<V1DaemonSet>;
  private readonly pods: Informer<V1Pod>;
  private readonly nodes: Informer<V1Node>;
  private readonly podsByOwner: OwnerIndex<V1Pod>;
  private readonly selectors = new SelectorCache();
  private readonly history: RevisionHistory;
  private readonly client: ResourceClient<V1DaemonSet>;
  private readonly podControl: PodControl;
  private readonly expectations: Expectations;
  private readonly failedPods: FailedPodBackoff;

  constructor(
    private readonly context: ControllerContext,
    private readonly queue: WorkQueue,
  ) {
    const { client, informers, recorder, clock } = context;
    this.sets = informers.informer(DAEMON_SETS);
    this.pods = informers.informer(PODS);
    this.nodes = informers.informer(NODES);
    this.podsByOwner = ownerIndex(this.pods);
    this.history = new RevisionHistory(client, informers);
    this.client = client.resource(DAEMON_SETS);
    this.podControl = new PodControl(client, recorder);
    this.expectations = new Expectations(clock);
    this.failedPods = new FailedPodBackoff(clock);
  }

  get informers(): readonly Pick<Informer<V1Pod>, 'whenSynced'>[] {
    return [this.sets, this.pods, this.nodes, this.history.informer];
  }

  watch(): (() => void)[] {
    return [
      this.sets.addHandler({
        add: (set) => this.queue.add(keyOf(set)),
        update: (set) => this.queue.add(keyOf(set)),
        delete: (set) => {
          this.expectations.forget(keyOf(set));
          this.queue.add(keyOf(set));
        },
      }),
      this.pods.addHandler({
        add: (pod) => this.podSeen(pod, undefined),
        update: (pod, previous) => this.podSeen(pod, previous),
        delete: (pod) => this.podGone(pod),
      }),
      this.nodes.addHandler({
        add: () => this.nodesChanged(),
        update: (node, previous) => {
          if (!deepEqual(node.metadata?.labels, previous.metadata?.labels) || !deepEqual(node.spec?.taints, previous.spec?.taints)) this.nodesChanged();
        },
        delete: () => this.nodesChanged(),
      }),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key);
    const set = this.sets.get(namespace, name);
    if (!set) return this.expectations.forget(key);
    if (selectsEverything(set)) {
      this.context.recorder.event(set, 'Warning', 'SelectingAll', 'This daemon set is selecting all pods. A non-empty selector is required.');
      return undefined;
    }
    if (set.metadata?.deletionTimestamp) return undefined;
    const revisions = await this.revisionsOf(set);
    const pods = await this.podsOf(set);
    const settled = this.expectations.satisfied(key);
    let failure: unknown;
    let retryAfter: number | undefined;
    if (settled) {
      try {
        retryAfter = await this.act(key, set, revisions, pods);
        await this.cleanUp(set, revisions, pods);
      } catch (error) {
        failure = error;
      }
    }
    const view = this.view(set, revisions, pods);
    const observed = settled ? set.metadata?.generation : set.status?.observedGeneration;
    const status = daemonStatus(view, observed, revisions.collisionCount);
    if (!deepEqual(set.status, status)) await updateStatus(this.client, set, (current) => ({ ...current, status }));
    if (failure !== undefined) throw failure;
    const minReadySeconds = set.spec?.minReadySeconds ?? 0;
    const availability = minReadySeconds > 0 && status.numberReady !== (status.numberAvailable ?? 0) ? minReadySeconds * 1000 : undefined;
    const after = Math.min(retryAfter ?? Infinity, availability ?? Infinity);
    return after === Infinity ? undefined : { requeueAfterMilliseconds: after };
  }

  /** Places pods, then updates them; returns when a failed pod has to be looked at again. */
  private async act(key: string, set: V1DaemonSet, revisions: Revisions, pods: readonly V1Pod[]): Promise<number | undefined> {
    let retryAfter: number | undefined;
    const { recorder } = this.context;
    const view = this.view(set, revisions, pods);
    const placement = planPlacement(view, (node, pod) => {
      const wait = this.failedPods.take(`${set.metadata?.uid}/${set.status?.observedGeneration ?? 0}/${node}`);
      if (wait > 0) {
        retryAfter = Math.min(retryAfter ?? wait, wait);
        return false;
      }
      recorder.event(set, 'Warning', 'FailedDaemonPod', `Found failed daemon pod ${keyOf(pod)} on node ${node}, will try to kill it`);
      return true;
    }, (pod) => recorder.event(set, 'Normal', 'SucceededDaemonPod', `Found succeeded daemon pod ${keyOf(pod)} on node ${targetNode(pod) ?? ''}, will try to delete it`));
    await this.execute(key, set, placement, revisions.hash);
    if (set.spec?.updateStrategy?.type === 'RollingUpdate' && this.expectations.satisfied(key)) {
      // What was just deleted or created changes the counts: the update goes by the newest view.
      const fresh = placement.create.length + placement.remove.length > 0 ? this.view(set, revisions, await this.podsOf(set)) : view;
      await this.execute(key, set, planUpdate(fresh), revisions.hash);
    }
    return retryAfter;
  }

  private async execute(key: string, set: V1DaemonSet, plan: DaemonPlan, hash: string): Promise<void> {
    const create = plan.create.slice(0, BURST);
    const remove = plan.remove.slice(0, BURST);
    if (create.length + remove.length === 0) return;
    this.expectations.expect(key, create.length, remove.map(keyOf));
    const template = daemonTemplate(set, hash);
    const reference = controllerReference(set);
    let created = 0;
    let { error: failure } = await slowStart(create.length, async (i) => {
      try {
        await this.podControl.createFromTemplate(set, pinned(template, create[i]!), reference);
        created += 1;
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
      }
    });
    for (let missing = create.length - created; missing > 0; missing--) this.expectations.creationObserved(key);
    await Promise.all(remove.map(async (pod) => {
      try {
        await this.podControl.delete(set, pod.metadata?.namespace ?? '', pod.metadata?.name ?? '');
      } catch (error) {
        this.expectations.deletionObserved(key, keyOf(pod));
        if (!StatusError.is(error, 'NotFound')) failure ??= error;
      }
    }));
    if (failure !== undefined) throw failure;
  }

  private async revisionsOf(set: V1DaemonSet): Promise<Revisions> {
    const all = await this.history.list(set, this.selectors.of(set.spec?.selector), this.client);
    const before = set.status?.collisionCount;
    const { revision, collisionCount } = await this.history.ensure(set, all, templateData(set.spec?.template), set.spec?.template.metadata?.labels, before ?? 0, REVISION_LABEL);
    return {
      current: revision,
      old: all.filter((other) => other.metadata?.name !== revision.metadata?.name),
      hash: revision.metadata?.labels?.[REVISION_LABEL] ?? '',
      collisionCount: collisionCount === (before ?? 0) ? before : collisionCount,
    };
  }

  /** Old revisions beyond the limit go, the lowest first, unless a pod still has them. */
  private async cleanUp(set: V1DaemonSet, { old }: Revisions, pods: readonly V1Pod[]): Promise<void> {
    let surplus = old.length - (set.spec?.revisionHistoryLimit ?? 10);
    if (surplus <= 0) return;
    const live = new Set(pods.map((pod) => pod.metadata?.labels?.[REVISION_LABEL]));
    for (const revision of old) {
      if (surplus <= 0) return;
      if (live.has(revision.metadata?.labels?.[REVISION_LABEL])) continue;
      await this.history.delete(revision);
      surplus -= 1;
    }
  }

  private podsOf(set: V1DaemonSet): Promise<V1Pod[]> {
    return claim({
      owner: set,
      reference: controllerReference(set),
      selector: this.selectors.of(set.spec?.selector),
      candidates: this.podsByOwner.candidatesOf(set),
      owners: this.client,
      objects: this.podControl.pods,
    });
  }

  private view(set: V1DaemonSet, revisions: Revisions, pods: readonly V1Pod[]): DaemonView {
    const perNode = new Map<string, V1Pod[]>();
    for (const pod of pods) {
      // It is as good as gone.
      if (isPodTerminal(pod) && pod.metadata?.deletionTimestamp) continue;
      const node = targetNode(pod);
      if (node === undefined) continue;
      const list = perNode.get(node);
      if (list) list.push(pod);
      else perNode.set(node, [pod]);
    }
    const judge = eligibilityOf(set);
    const nodes: NodePods[] = this.nodes.list().map((node) => {
      const name = node.metadata?.name ?? '';
      const here = perNode.get(name) ?? [];
      perNode.delete(name);
      return { node, eligibility: judge(node), pods: here };
    });
    const stray = [...perNode.values()].flat().filter((pod) => !pod.spec?.nodeName && !pod.metadata?.deletionTimestamp);
    const equal = revisions.old.filter((revision) => deepEqual(revision.data, revisions.current.data));
    const hashes = new Set([revisions.hash, ...equal.map((revision) => revision.metadata?.labels?.[REVISION_LABEL] ?? revision.metadata?.name ?? '')]);
    return { set, nodes, stray, hashes, now: this.context.clock.now() };
  }

  private podSeen(pod: V1Pod, previous: V1Pod | undefined): void {
    if (pod.metadata?.deletionTimestamp) return this.podGone(pod);
    const owner = controllerOf(pod);
    const before = previous && controllerOf(previous);
    if (previous && before && before.uid !== owner?.uid) this.enqueue(this.ownerOf(previous));
    const set = this.ownerOf(pod);
    if (set) {
      if (!previous) this.expectations.creationObserved(keyOf(set));
      this.enqueue(set);
      const minReadySeconds = set.spec?.minReadySeconds ?? 0;
      if (previous && minReadySeconds > 0 && isPodReady(pod) && !isPodReady(previous)) this.queue.addAfter(keyOf(set), (minReadySeconds + 1) * 1000);
      return;
    }
    if (owner || (previous && !before && deepEqual(pod.metadata?.labels, previous.metadata?.labels))) return;
    for (const other of this.sets.list(pod.metadata?.namespace ?? '')) {
      if (!selectsEverything(other) && this.selectors.of(other.spec?.selector).matches(pod.metadata?.labels)) this.enqueue(other);
    }
  }

  private podGone(pod: V1Pod): void {
    const set = this.ownerOf(pod);
    if (set) this.expectations.deletionObserved(keyOf(set), keyOf(pod));
    this.enqueue(set);
  }

  private ownerOf(pod: V1Pod): V1DaemonSet | undefined {
    const reference = controllerOf(pod);
    if (reference?.kind !== 'DaemonSet') return undefined;
    const set = this.sets.get(pod.metadata?.namespace ?? '', reference.name);
    return set?.metadata?.uid === reference.uid ? set : undefined;
  }

  private enqueue(set: V1DaemonSet | undefined): void {
    if (set) this.queue.addAfter(keyOf(set), coalesceMilliseconds(this.nodes.size));
  }

  private nodesChanged(): void {
    for (const set of this.sets.list()) this.enqueue(set);
  }
}

function selectsEverything(set: V1DaemonSet): boolean {
  const selector = set.spec?.selector;
  return selector !== undefined && Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}
