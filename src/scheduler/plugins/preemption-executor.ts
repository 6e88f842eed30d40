import type { V1Pod } from '../../api/generated/types.js';
import { DISRUPTION_TARGET } from '../../api/helpers/pod-state.js';
import { PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';
import type { Client, Lister } from '../../client/index.js';
import type { EventRecorder } from '../../reconcile/index.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { PodStatusUpdater } from '../pod-status-updater.js';
import type { Victims } from './preemption-victims.js';
import { timestamp } from '../../api/meta/timestamp.js';

export interface PreemptionExecutorContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorderOf: (schedulerName: string) => EventRecorder;
  readonly pods: Lister<V1Pod>;
  readonly status: PodStatusUpdater;
  /** Has a pod tried again whatever rejected it. */
  readonly activate: (pod: V1Pod) => void;
  /** Lets a pod back in that this executor's running kept out of the queue. */
  readonly release: (uid: string) => void;
  /** Ends the wait of a pod that is about to be bound. False: it does not wait (any more). */
  readonly cancelPreBind: (uid: string, reason: string) => boolean;
  /** A run ended. */
  readonly observe: (result: 'success' | 'error', seconds: number) => void;
}

/**
 * Removes victims, in the background: scheduling goes on meanwhile. The pod that they make room for is not tried again until the last of
 * them is on its way out ({@link isRunningFor}).
 */
export class PreemptionExecutor {
  /** Uids of pods that room is being made for, with the last victim once it is its turn. */
  private readonly running = new Map<string, PodInfo | undefined>();

  constructor(private readonly context: PreemptionExecutorContext) {}

  isRunningFor(uid: string): boolean {
    if (!this.running.has(uid)) return false;
    const last = this.running.get(uid);
    if (!last) return true;
    const victim = this.context.pods.get(last.namespace, last.name);
    return victim !== undefined && victim.metadata?.deletionTimestamp === undefined;
  }

  /** Starts removing. `displaced` are pods of lower priority that were nominated to the node and lose that. */
  start(preemptor: PodInfo, victims: Victims, displaced: readonly PodInfo[]): void {
    const pending = victims.pods.filter((one) => !one.terminating);
    if (pending.length === 0) return;
    this.running.set(preemptor.uid, undefined);
    void this.run(preemptor, victims.nodeName, pending, displaced);
  }

  private async run(preemptor: PodInfo, nodeName: string, victims: readonly PodInfo[], displaced: readonly PodInfo[]): Promise<void> {
    const start = this.context.clock.monotonic();
    let result: 'success' | 'error' = 'success';
    try {
      for (const { pod } of displaced) this.context.status.update(pod, { nominatedNodeName: '' });
      const last = victims.at(-1)!;
      await Promise.all(victims.slice(0, -1).map((victim) => this.remove(preemptor, victim, nodeName)));
      this.running.set(preemptor.uid, last);
      await this.remove(preemptor, last, nodeName);
    } catch (error) {
      result = 'error';
      this.context.log.error('preemption failed', { pod: preemptor.key, node: nodeName, error });
    }
    this.running.delete(preemptor.uid);
    if (result === 'error') this.context.activate(preemptor.pod);
    else this.context.release(preemptor.uid);
    this.context.observe(result, (this.context.clock.monotonic() - start) / 1000);
  }

  private async remove(preemptor: PodInfo, victim: PodInfo, nodeName: string): Promise<void> {
    let message = `Preempted by pod ${preemptor.uid} on node ${nodeName}`;
    if (this.context.cancelPreBind(victim.uid, 'preempted by DefaultPreemption')) message += ' (in kube-scheduler memory).';
    else if (!(await this.delete(preemptor, victim))) return;
    this.context.recorderOf(preemptor.pod.spec?.schedulerName ?? '').event(victim.pod, 'Normal', 'Preempted', message, { action: 'Preempting', related: preemptor.pod });
  }

  /** False when the victim is gone already. */
  private async delete(preemptor: PodInfo, victim: PodInfo): Promise<boolean> {
    const client = this.context.client.resource(PODS);
    const schedulerName = preemptor.pod.spec?.schedulerName ?? '';
    const condition = {
      type: DISRUPTION_TARGET,
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${schedulerName}: preempting to accommodate a higher priority pod`,
      lastTransitionTime: timestamp(this.context.clock.now()),
      ...(victim.pod.metadata?.generation === undefined ? {} : { observedGeneration: victim.pod.metadata.generation }),
    };
    try {
      await client.patch(victim.namespace, victim.name, 'strategic', { status: { conditions: [condition] } }, 'status');
      await client.delete(victim.namespace, victim.name, { preconditions: { uid: victim.uid } });
      return true;
    } catch (error) {
      if (StatusError.is(error, 'NotFound')) return false;
      throw error;
    }
  }
}
