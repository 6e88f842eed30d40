import { errorMessage } from '../base/errors.js';
import { handleFailure } from './attempt-failure.js';
import { placed, unreserve, type Bindings, type BindingContext } from './binding-cycle.js';
import { ASSIGNED_POD_DELETE } from './framework/cluster-event.js';
import { FitError, type Diagnosis } from './framework/fit-error.js';
import type { PodCycle } from './framework/pod-cycle.js';
import type { Rejection } from './framework/rejection.js';
import type { QueuedPod } from './queue/queued-pod.js';
import type { NodeChooser } from './schedule-pod.js';

/** Tries one pod: chooses a node, places the pod there in memory, and hands it on to be bound. Never rejects. */
export class SchedulingCycle {
  constructor(
    private readonly context: BindingContext,
    private readonly chooser: NodeChooser,
    private readonly bindings: Bindings,
  ) {}

  async attempt(queued: QueuedPod): Promise<void> {
    const { cache, clock, metrics } = this.context;
    if (this.skip(queued)) {
      this.context.queue.done(queued.info.uid);
      return;
    }
    const start = clock.monotonic();
    const cycle: PodCycle = { profile: queued.profile, pod: queued.info, snapshot: cache.snapshot(), filters: new Map(), prepared: new Set() };
    let nodeName: string;
    try {
      nodeName = await this.chooser.choose(cycle);
    } catch (error) {
      const nominatedNode = error instanceof FitError ? await this.postFilter(cycle, error.diagnosis) : '';
      metrics.algorithmSeconds.observe((clock.monotonic() - start) / 1000);
      handleFailure(this.context, queued, { error, nominatedNode, start });
      return;
    }
    metrics.algorithmSeconds.observe((clock.monotonic() - start) / 1000);
    try {
      this.place(cycle, nodeName);
    } catch (error) {
      handleFailure(this.context, queued, { error, nominatedNode: '', start });
      return;
    }
    this.bindings.start(queued, cycle, nodeName, start);
  }

  /** Pods that are being deleted, or were placed meanwhile, are not tried. */
  private skip({ info, profile }: QueuedPod): boolean {
    if (info.terminating) {
      this.context.recorderOf(profile.schedulerName).event(info.pod, 'Warning', 'FailedScheduling', `skip schedule deleting pod: ${info.key}`, { action: 'Scheduling' });
      return true;
    }
    return this.context.cache.isAssumed(info.uid);
  }

  /** Tries to make room. Returns the node nominated for the pod: empty for none any more, undefined for no change. */
  private async postFilter(cycle: PodCycle, diagnosis: Diagnosis): Promise<string | undefined> {
    const messages: string[] = [];
    let nominatedNode: string | undefined = cycle.profile.postFilters.length === 0 ? '' : undefined;
    for (const plugin of cycle.profile.postFilters) {
      try {
        const result = await plugin.postFilter(cycle, diagnosis);
        if (result.success) {
          diagnosis.postFilterMessage = '';
          return result.nominatedNode;
        }
        nominatedNode = result.nominatedNode ?? nominatedNode;
        messages.push(result.message);
      } catch (error) {
        diagnosis.postFilterMessage = errorMessage(error);
        return undefined;
      }
    }
    diagnosis.postFilterMessage = messages.join(', ');
    return nominatedNode;
  }

  private place(cycle: PodCycle, nodeName: string): void {
    const { cache, nominator, queue } = this.context;
    const { pod, profile } = cycle;
    cache.assume(pod.on(nodeName));
    nominator.delete(pod.uid);
    try {
      for (const plugin of profile.reservers) {
        const rejection = plugin.reserve(cycle, nodeName);
        if (rejection) throw new FitError(onlyNode(nodeName, rejection));
      }
    } catch (error) {
      unreserve(cycle, nodeName);
      cache.forget(pod.uid);
      queue.moveAll(ASSIGNED_POD_DELETE, placed(pod.pod, nodeName), undefined, (other) => other.uid !== pod.uid);
      throw error;
    }
  }
}

function onlyNode(nodeName: string, rejection: Rejection): Diagnosis {
  return { nodeCount: 1, nodes: new Map([[nodeName, rejection]]), absent: undefined, preFilterMessage: '', postFilterMessage: '', rejectors: new Set([rejection.plugin]) };
}
