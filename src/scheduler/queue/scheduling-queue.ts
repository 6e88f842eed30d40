import type { V1Pod } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { CancelTimer, Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';
import { PodInfo } from '../cache/pod-info.js';
import { FORCE_ACTIVATE, isWildcard, matchesInterest, UNSCHEDULABLE_TIMEOUT, UNSCHEDULED_POD_ADD, UNSCHEDULED_POD_UPDATE, type ClusterEvent } from '../framework/cluster-event.js';
import { podChanges } from '../framework/pod-changes.js';
import type { QueueingHint } from '../framework/plugin.js';
import type { Profile } from '../framework/profile.js';
import { BackoffQueue } from './backoff-queue.js';
import { KeyedHeap } from './heap.js';
import { InFlightPods, type EventRecord } from './in-flight.js';
import type { Nominator } from './nominator.js';
import { prioritySort, queuedPod, uidOf, type QueuedPod } from './queued-pod.js';
import { UnschedulablePods } from './unschedulable-pods.js';

/** A pod that waited this long without a fitting event is tried anyway. */
const MAX_UNSCHEDULABLE_MILLISECONDS = 5 * 60_000;
const FLUSH_MILLISECONDS = 30_000;

/** What the queue reports. */
export interface QueueObserver {
  /** `queue`: `active`, `backoff` or `unschedulable`; `event` is a label of {@link ClusterEvent} or of the queue itself. */
  incoming(queue: 'active' | 'backoff' | 'unschedulable', event: string): void;
  /** A plugin keeps one more (1) or one less (-1) pod of the profile from being scheduled. */
  rejected(plugin: string, profile: string, change: 1 | -1): void;
  hint(plugin: string, event: string, result: 'Queue' | 'QueueSkip' | 'Error', seconds: number): void;
  /** A gate keeps a pod from being tried. */
  gated(pod: PodInfo, plugin: string): void;
}

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly nominator: Nominator;
  readonly initialBackoffMilliseconds: number;
  readonly maximumBackoffMilliseconds: number;
  readonly observer: QueueObserver;
  /** Called when {@link SchedulingQueue.pop} may have something. */
  readonly onReady: () => void;
}

/**
 * Pods that wait for a node. A pod is in exactly one place:
 *
 * ```
 * add -> active -pop-> in flight -addUnschedulable-> unschedulable | backoff | active
 *           ^ `- gated -> unschedulable                    |             |
 *           `--------------- event, with hint -------------+-- time -----'
 * ```
 *
 * No wake-up is lost: events are kept while pods are in flight, and replayed for those that come back.
 */
export class SchedulingQueue {
  private readonly active = new KeyedHeap<QueuedPod>(uidOf, prioritySort);
  private readonly backoff: BackoffQueue;
  private readonly unschedulable = new UnschedulablePods();
  private readonly inFlight = new InFlightPods();
  private sequence = 0;
  private cancelBackoff: CancelTimer | undefined;
  private backoffAt = Infinity;
  private cancelFlush: CancelTimer | undefined;
  private closed = false;

  constructor(private readonly options: SchedulingQueueOptions) {
    this.backoff = new BackoffQueue(() => options.clock.monotonic(), options.initialBackoffMilliseconds, options.maximumBackoffMilliseconds);
  }

  /** Pending pods by place. */
  get sizes(): { readonly active: number; readonly backoff: number; readonly unschedulable: number; readonly gated: number; readonly inFlightEvents: number } {
    return {
      active: this.active.size,
      backoff: this.backoff.size,
      unschedulable: this.unschedulable.unschedulableCount,
      gated: this.unschedulable.gatedCount,
      inFlightEvents: this.inFlight.eventCount,
    };
  }

  /** A new pod without a node. */
  add(pod: V1Pod): void {
    const profile = this.options.profiles.get(schedulerNameOf(pod));
    if (!profile) return;
    this.toActive(queuedPod(new PodInfo(pod), profile, this.sequence++, this.now()), UNSCHEDULED_POD_ADD.label);
  }

  /** A pod without a node changed. */
  update(previous: V1Pod, pod: V1Pod): void {
    const uid = pod.metadata?.uid ?? '';
    const changes = podChanges(previous, pod);
    if (this.inFlight.has(uid)) {
      for (const event of changes) this.inFlight.record({ event, before: previous, after: pod });
      return;
    }
    const waiting = this.active.get(uid) ?? this.backoff.get(uid);
    if (waiting) {
      this.renew(waiting, pod);
      if (this.active.has(uid)) this.active.push(waiting);
      return;
    }
    const stuck = this.unschedulable.get(uid);
    if (!stuck) {
      const profile = this.options.profiles.get(schedulerNameOf(pod));
      if (profile) this.toActive(queuedPod(new PodInfo(pod), profile, this.sequence++, this.now()), UNSCHEDULED_POD_UPDATE.label);
      return;
    }
    this.renew(stuck, pod);
    for (const event of changes) {
      if (!this.worthRequeueing(stuck, event, previous, pod)) continue;
      this.unschedulable.delete(uid);
      this.requeue(stuck, event.label);
      break;
    }
  }

  delete(uid: string): void {
    this.options.nominator.delete(uid);
    const waiting = this.active.delete(uid) ?? this.backoff.delete(uid) ?? this.unschedulable.delete(uid);
    if (waiting) this.countRejectors(waiting, -1);
  }

  /** The next pod to try; undefined when there is none. {@link done} or {@link addUnschedulable} must follow. */
  pop(): QueuedPod | undefined {
    let pod = this.active.pop();
    if (!pod) {
      pod = this.backoff.popEarly();
      if (!pod) return undefined;
      this.options.observer.incoming('active', 'PopFromBackoffQ');
    }
    pod.attempts++;
    this.countRejectors(pod, -1);
    this.inFlight.start(pod.info.uid);
    return pod;
  }

  /** The attempt is over, and the pod does not come back. */
  done(uid: string): void {
    this.inFlight.done(uid);
  }

  /** The attempt failed; `pod.rejectors` says by which plugins, none: by an error. */
  addUnschedulable(pod: QueuedPod): void {
    const uid = pod.info.uid;
    const events = this.inFlight.eventsSince(uid);
    this.inFlight.done(uid);
    if (this.closed || this.active.has(uid) || this.backoff.get(uid) || this.unschedulable.get(uid)) return;
    if (pod.rejectors.size === 0) pod.consecutiveErrors++;
    else {
      pod.unschedulableCount++;
      pod.consecutiveErrors = 0;
    }
    pod.timestamp = this.now();
    pod.backoffExpiration = undefined;
    pod.flushed = false;
    this.countRejectors(pod, 1);
    const cured = pod.rejectors.size === 0 || events.some(({ event, before, after }) => this.worthRequeueing(pod, event, before, after));
    if (cured) this.requeue(pod, SCHEDULE_ATTEMPT_FAILURE);
    else this.toUnschedulable(pod, SCHEDULE_ATTEMPT_FAILURE);
  }

  /** Something changed in the cluster: moves the pods that it may have made schedulable. `test` narrows them down. */
  moveAll(event: ClusterEvent, before: KubeObject | undefined, after: KubeObject | undefined, test?: (pod: PodInfo) => boolean): void {
    if (this.unschedulable.size === 0 && this.inFlight.podCount === 0) return;
    const interested = new Set<string>();
    for (const profile of this.options.profiles.values()) for (const plugin of profile.interestedIn(event)) interested.add(plugin);
    if (interested.size === 0) return;
    for (const pod of this.unschedulable.rejectedBy(interested)) {
      if (test && !test(pod.info)) continue;
      this.moveIfWorth(pod, event, before, after);
    }
    this.inFlight.record({ event, before, after });
  }

  /** Has these pods tried again soon, whatever rejected them. */
  activate(pods: Iterable<V1Pod>): void {
    for (const pod of pods) {
      const uid = pod.metadata?.uid ?? '';
      const waiting = this.unschedulable.delete(uid) ?? this.backoff.delete(uid);
      if (waiting) this.toActive(waiting, FORCE_ACTIVATE.label);
      else if (this.inFlight.has(uid)) this.inFlight.record({ event: FORCE_ACTIVATE, before: undefined, after: pod });
    }
  }

  /** A gate is open again for a pod that it keeps out. */
  ungate(uid: string, plugin: string): void {
    if (this.unschedulable.get(uid)?.gatingPlugin !== plugin) return;
    const pod = this.unschedulable.delete(uid)!;
    this.requeue(pod, FORCE_ACTIVATE.label);
  }

  /** Ends the timers. Nothing is moved any more. */
  close(): void {
    this.closed = true;
    this.cancelBackoff?.();
    this.cancelFlush?.();
  }

  private now(): number {
    return this.options.clock.monotonic();
  }

  private renew(queued: QueuedPod, pod: V1Pod): void {
    const next = queued.info.withState(pod, false);
    this.options.nominator.update(queued.info, next);
    queued.info = next;
  }

  private countRejectors(pod: QueuedPod, change: 1 | -1): void {
    for (const plugin of pod.rejectors) this.options.observer.rejected(plugin, pod.profile.schedulerName, change);
  }

  private moveIfWorth(pod: QueuedPod, event: ClusterEvent, before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (pod.gatingPlugin !== '' && !gateListens(pod, event)) return;
    if (!this.worthRequeueing(pod, event, before, after)) return;
    this.unschedulable.delete(pod.info.uid);
    this.requeue(pod, event.label);
  }

  private worthRequeueing(pod: QueuedPod, event: ClusterEvent, before: KubeObject | undefined, after: KubeObject | undefined): boolean {
    if (pod.rejectors.size === 0) return true;
    if (isWildcard(event)) return after === undefined || after.metadata?.uid === pod.info.uid;
    for (const plugin of pod.rejectors) {
      for (const interest of pod.profile.interestsOf(plugin)) {
        if (!matchesInterest(interest.resource, interest.actions, event)) continue;
        if (!interest.hint || this.ask(interest.hint, plugin, pod.info.pod, { event, before, after })) return true;
      }
    }
    return false;
  }

  private ask(hint: QueueingHint, plugin: string, pod: V1Pod, { event, before, after }: EventRecord): boolean {
    const start = this.now();
    try {
      const worth = hint(pod, before, after);
      this.options.observer.hint(plugin, event.label, worth ? 'Queue' : 'QueueSkip', (this.now() - start) / 1000);
      return worth;
    } catch (error) {
      // A pod must not be stuck because of a hint that fails.
      this.options.log.error('queueing hint failed', { plugin, event: event.label, error });
      this.options.observer.hint(plugin, event.label, 'Error', (this.now() - start) / 1000);
      return true;
    }
  }

  private requeue(pod: QueuedPod, event: string): void {
    if (!this.backoff.isBackingOff(pod)) {
      this.toActive(pod, event);
      return;
    }
    if (this.gate(pod, event)) return;
    this.backoff.add(pod);
    this.options.observer.incoming('backoff', event);
    this.armBackoff();
    this.options.onReady();
  }

  private toActive(pod: QueuedPod, event: string, gateChecked = false): void {
    if (!gateChecked && this.gate(pod, event)) return;
    pod.initialAttempt ??= this.now();
    this.active.push(pod);
    this.options.observer.incoming('active', event);
    if (event === UNSCHEDULED_POD_ADD.label || event === UNSCHEDULED_POD_UPDATE.label) this.options.nominator.add(pod.info);
    this.options.onReady();
  }

  private toUnschedulable(pod: QueuedPod, event: string): void {
    this.unschedulable.add(pod);
    this.options.observer.incoming('unschedulable', event);
    this.armFlush();
  }

  /** Runs the gates; a gated pod goes to the unschedulable ones. */
  private gate(pod: QueuedPod, event: string): boolean {
    for (const plugin of pod.profile.preEnqueue) {
      const rejection = plugin.preEnqueue(pod.info.pod);
      if (!rejection) continue;
      if (!pod.rejectors.has(plugin.name)) {
        pod.rejectors.add(plugin.name);
        this.options.observer.rejected(plugin.name, pod.profile.schedulerName, 1);
      }
      pod.gatingPlugin = plugin.name;
      this.toUnschedulable(pod, event);
      this.options.observer.gated(pod.info, plugin.name);
      return true;
    }
    pod.gatingPlugin = '';
    return false;
  }

  private armBackoff(): void {
    const next = this.backoff.nextCompletion();
    if (next === undefined || next >= this.backoffAt || this.closed) return;
    this.cancelBackoff?.();
    this.backoffAt = next;
    this.cancelBackoff = this.options.clock.setTimeout(() => {
      this.backoffAt = Infinity;
      for (const pod of this.backoff.popCompleted()) this.toActive(pod, 'BackoffComplete', true);
      this.armBackoff();
    }, Math.max(0, next - this.now()));
  }

  private armFlush(): void {
    if (this.cancelFlush || this.closed) return;
    this.cancelFlush = this.options.clock.setTimeout(() => {
      this.cancelFlush = undefined;
      this.flushLeftover();
      if (this.unschedulable.size > 0) this.armFlush();
    }, FLUSH_MILLISECONDS);
  }

  private flushLeftover(): void {
    const limit = this.now() - MAX_UNSCHEDULABLE_MILLISECONDS;
    const overdue = [...this.unschedulable.all()].filter((pod) => pod.timestamp < limit);
    for (const pod of overdue) {
      pod.flushed = true;
      this.moveIfWorth(pod, UNSCHEDULABLE_TIMEOUT, undefined, undefined);
    }
  }
}

const SCHEDULE_ATTEMPT_FAILURE = 'ScheduleAttemptFailure';

function schedulerNameOf(pod: V1Pod): string {
  return pod.spec?.schedulerName ?? '';
}

function gateListens(pod: QueuedPod, event: ClusterEvent): boolean {
  return pod.profile.interestsOf(pod.gatingPlugin).some(({ resource, actions }) => matchesInterest(resource, actions, event));
}
