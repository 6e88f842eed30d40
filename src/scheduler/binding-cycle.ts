import type { V1Pod } from '../api/generated/types.js';
import { errorMessage } from '../base/errors.js';
import type { SchedulerCache } from './cache/scheduler-cache.js';
import type { Extender } from './extender.js';
import { ASSIGNED_POD_DELETE } from './framework/cluster-event.js';
import type { PodCycle } from './framework/pod-cycle.js';
import { handleFailure, type FailureContext } from './attempt-failure.js';
import { Limiter } from './limiter.js';
import type { QueuedPod } from './queue/queued-pod.js';

/** Binding requests on their way at the same time. */
const CONCURRENT_BINDINGS = 64;
/** Placed pods that wait for their request to be sent before placing more of them has no use. */
const BINDING_BACKLOG = 256;

export interface BindingContext extends FailureContext {
  readonly cache: SchedulerCache;
  readonly extenders: readonly Extender[];
}

/** Binds placed pods, in the background and many at a time. */
export class Bindings {
  private readonly limiter = new Limiter(CONCURRENT_BINDINGS, BINDING_BACKLOG);
  private readonly running = new Set<Promise<void>>();
  /** Pods that wait for something before they are bound. */
  private readonly preBinding = new Map<string, AbortController>();

  constructor(private readonly context: BindingContext) {}

  /** Number of bindings that are not done. */
  get size(): number {
    return this.running.size;
  }

  /** Undefined when more pods may be placed; else resolves when they may. */
  congestion(): Promise<void> | undefined {
    return this.limiter.congested ? this.limiter.relief() : undefined;
  }

  /** Binds the pod to the node that it is assumed to be on. `start` is when the attempt began, monotonic milliseconds. */
  start(queued: QueuedPod, cycle: PodCycle, nodeName: string, start: number): void {
    const run = this.run(queued, cycle, nodeName, start).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  /** Ends the wait of a pod that is not bound yet; the pod goes back to the queue. False: it does not wait. */
  cancel(uid: string, reason: string): boolean {
    const controller = this.preBinding.get(uid);
    controller?.abort(new Error(reason));
    return controller !== undefined;
  }

  /** Ends all waits and resolves when no binding is on its way any more. */
  async drain(): Promise<void> {
    for (const uid of this.preBinding.keys()) this.cancel(uid, 'the scheduler stops');
    await Promise.all(this.running);
  }

  private async run(queued: QueuedPod, cycle: PodCycle, nodeName: string, start: number): Promise<void> {
    const { queue, metrics, clock } = this.context;
    const { pod, profile } = cycle;
    try {
      const waits = profile.preBinders.some((plugin) => plugin.needsPreBind(cycle, nodeName));
      if (waits) this.context.status.update(pod.pod, { nominatedNodeName: nodeName });
      // From here on the pod cannot turn out not to fit.
      queue.done(pod.uid);
      if (waits) await this.preBind(cycle, nodeName);
      await this.limiter.run(() => this.bind(cycle, nodeName));
    } catch (error) {
      this.failed(queued, cycle, nodeName, error, start);
      return;
    }
    this.context.status.forget(pod.uid);
    this.context.recorderOf(profile.schedulerName).event(pod.pod, 'Normal', 'Scheduled', `Successfully assigned ${pod.key} to ${nodeName}`, { action: 'Binding' });
    const now = clock.monotonic();
    metrics.attempt('scheduled', profile.schedulerName, (now - start) / 1000);
    metrics.scheduled(queued.attempts, (now - (queued.initialAttempt ?? start)) / 1000);
    if (queued.flushed) metrics.scheduledAfterFlush.inc();
  }

  private async preBind(cycle: PodCycle, nodeName: string): Promise<void> {
    const controller = new AbortController();
    this.preBinding.set(cycle.pod.uid, controller);
    try {
      for (const plugin of cycle.profile.preBinders) {
        if (!plugin.needsPreBind(cycle, nodeName)) continue;
        try {
          await plugin.preBind(cycle, nodeName, controller.signal);
        } catch (error) {
          throw new Error(`running PreBind plugin "${plugin.name}": ${errorMessage(error)}`);
        }
      }
      if (controller.signal.aborted) throw controller.signal.reason;
    } finally {
      this.preBinding.delete(cycle.pod.uid);
    }
  }

  private async bind({ pod, profile }: PodCycle, nodeName: string): Promise<void> {
    for (const extender of this.context.extenders) {
      if (!extender.bind || !extender.isInterested(pod.pod)) continue;
      try {
        await extender.bind(pod, nodeName);
        return;
      } catch (error) {
        if (!extender.ignorable) throw error;
        this.context.log.warn('extender failed and is ignored', { extender: extender.name, error });
      }
    }
    const plugin = profile.binders[0]!;
    try {
      await plugin.bind(pod, nodeName);
    } catch (error) {
      throw new Error(`running Bind plugin "${plugin.name}": ${errorMessage(error)}`, { cause: error });
    }
  }

  private failed(queued: QueuedPod, cycle: PodCycle, nodeName: string, error: unknown, start: number): void {
    unreserve(cycle, nodeName);
    if (this.context.cache.forget(cycle.pod.uid)) this.context.queue.moveAll(ASSIGNED_POD_DELETE, placed(cycle.pod.pod, nodeName), undefined);
    handleFailure(this.context, queued, { error, nominatedNode: '', start });
  }
}

/** Has plugins take back what they reserved, in reverse order. */
export function unreserve(cycle: PodCycle, nodeName: string): void {
  for (const plugin of [...cycle.profile.reservers].reverse()) plugin.unreserve(cycle, nodeName);
}

/** The pod as it would be on the node. */
export function placed(pod: V1Pod, nodeName: string): V1Pod {
  return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName } };
}
