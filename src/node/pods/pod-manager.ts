import type { V1Node, V1Pod, V1PodStatus } from '../../api/generated/types.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import type { RuntimeEvent } from '../runtime/index.js';
import { NodeAdmission, type Rejection } from './admission.js';
import type { Eviction } from '../eviction/index.js';
import { endPods } from './end-pods.js';
import type { NodeContext } from './node-context.js';
import { PendingResizes } from './resize/pending-resizes.js';
import type { PodResizer } from './resize/resizer.js';
import { PodWorker, type PodWorkerOwner } from './pod-worker.js';
import { RejectedPod } from './rejected-pod.js';
import { appArmorMissing, forbiddenSysctl } from './security-admission.js';

/** Upstream's `immediateEvictionGracePeriodSeconds`. */
const EVICTION_GRACE_SECONDS = 1;

/** The pods of one node: admission, one worker for each, and the runtime's events handed to them. */
export class PodManager implements PodWorkerOwner {
  private readonly workers = new Map<string, PodWorker>();
  private readonly rejected = new Map<string, RejectedPod>();
  private readonly admission: NodeAdmission;
  private readonly resizes: PendingResizes<PodResizer>;
  private readonly whenEnded = new Map<string, (() => void)[]>();
  private readonly endEvents: () => void;

  /** `nodeObject` gives the node as the API has it. */
  constructor(
    readonly context: NodeContext,
    private readonly nodeObject: () => V1Node | undefined,
  ) {
    this.resizes = new PendingResizes(context.clock, (pod) => this.admission.resize(pod.latest, this.nodeObject()));
    this.admission = new NodeAdmission(() => context.allocatable, context.pressure);
    this.endEvents = context.runtime.containers.onEvent((event) => this.onEvent(event));
  }

  /** Number of pods that have workers. */
  get size(): number {
    return this.workers.size;
  }

  /** The newest status of a pod, also when it is not reported yet. */
  status(uid: string): V1PodStatus | undefined {
    return this.workers.get(uid)?.current;
  }

  /** A pod of this node appeared or changed. */
  put(pod: V1Pod): void {
    const uid = pod.metadata?.uid ?? '';
    const worker = this.workers.get(uid);
    if (worker) {
      worker.update(pod);
      return;
    }
    const rejected = this.rejected.get(uid);
    if (rejected) {
      rejected.update(pod);
      if (pod.metadata?.deletionTimestamp) this.context.statuses.enqueue(rejected);
      return;
    }
    if (!isPodTerminal(pod) && !pod.metadata?.deletionTimestamp) {
      // One that had started was admitted by an earlier run of this agent.
      if (!pod.status?.startTime) {
        const rejection = this.unsafe(pod) ?? this.admission.admit(pod, this.nodeObject());
        if (rejection) {
          this.context.events.pod(pod, 'Warning', rejection.reason, rejection.message);
          const refused = new RejectedPod(pod, rejection, this.context.clock.now());
          this.rejected.set(uid, refused);
          this.context.statuses.enqueue(refused);
          return;
        }
      }
    }
    const made = new PodWorker(this.context, pod, this);
    if (!isPodTerminal(pod) && pod.status?.startTime) this.admission.include(made.resizer.allocated);
    this.workers.set(uid, made);
    this.resizes.push(made.resizer);
    // A pod that is over needs a pass only when somebody wants it removed.
    if (!isPodTerminal(pod) || pod.metadata?.deletionTimestamp) made.trigger();
  }

  /** A pod is gone from the API. */
  remove(pod: V1Pod): void {
    const uid = pod.metadata?.uid ?? '';
    this.rejected.delete(uid);
    this.workers.get(uid)?.remove(pod);
  }

  /** Pods of which something runs or may run. */
  get active(): readonly V1Pod[] {
    return [...this.workers.values()].filter((worker) => worker.active).map((worker) => worker.latest);
  }

  /** Pods that have ended for good and are still there. */
  get finished(): readonly V1Pod[] {
    return [...this.workers.values()].filter((worker) => worker.finished).map((worker) => worker.latest);
  }

  /** Ends a pod as failed, at once; resolves when nothing of it runs any more. */
  evict(pod: V1Pod, eviction: Eviction): Promise<void> {
    const uid = pod.metadata?.uid ?? '';
    const worker = this.workers.get(uid);
    if (!worker?.active) return Promise.resolve();
    this.context.events.pod(worker.latest, 'Warning', 'Evicted', eviction.message);
    worker.evict({ reason: 'Evicted', message: eviction.message, ...(eviction.disruption ? { disruption: true } : {}) }, EVICTION_GRACE_SECONDS);
    return new Promise((resolve) => this.whenEnded.set(uid, [...(this.whenEnded.get(uid) ?? []), resolve]));
  }

  /** Ends the workers; what runs goes on. */
  stop(): void {
    this.endEvents();
    this.resizes.stop();
    for (const worker of this.workers.values()) worker.stop();
    this.workers.clear();
  }

  /** Ends what runs of every pod and stops the workers. Pods of low priority go first. */
  async endAll(deadlineMilliseconds: number): Promise<void> {
    this.endEvents();
    const pods = [...this.workers.values()].filter((worker) => worker.active).map((worker) => worker.latest);
    for (const worker of this.workers.values()) worker.stop();
    await endPods(this.context, pods, deadlineMilliseconds);
  }

  /** Why the host must not or cannot run the pod as it asks for. */
  private unsafe(pod: V1Pod): Rejection | undefined {
    const { local } = this.context;
    if (!local) return undefined;
    return forbiddenSysctl(pod) ?? (local.appArmor ? undefined : appArmorMissing(pod));
  }

  private onEvent(event: RuntimeEvent): void {
    // Steps on the way that only the worker itself takes.
    if (event.type === 'sandbox-ready' || event.type === 'created') return;
    const worker = this.workers.get(event.podUid);
    // A finished pod has nothing to learn from its runtime any more.
    if (worker?.active) worker.trigger();
  }

  ended(worker: PodWorker): void {
    this.admission.release(worker.uid);
    this.resizes.remove(worker.resizer);
    this.resizes.retry();
    for (const resolve of this.whenEnded.get(worker.uid) ?? []) resolve();
    this.whenEnded.delete(worker.uid);
  }

  resized(worker: PodWorker): void {
    this.resizes.push(worker.resizer);
    if (!worker.resizer.resizePending) worker.resizer.settleResize();
  }

  discarded(worker: PodWorker): void {
    this.admission.release(worker.uid);
    this.workers.delete(worker.uid);
  }
}
