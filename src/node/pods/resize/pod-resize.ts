import type { V1Container, V1Pod, V1PodCondition, V1ResourceRequirements } from '../../../api/generated/types.js';
import { timestamp } from '../../../api/meta/timestamp.js';
import type { ContainerStatus } from '../../runtime/index.js';
import type { Rejection } from '../admission.js';
import { allocatedPod, allocationOf, changedResources, reportedAllocation, resizableContainers, sameResources, type Allocation } from './allocation.js';

type Condition = 'PodResizePending' | 'PodResizeInProgress';

/** A container that runs with other resources than it was granted. */
export interface ContainerResize {
  readonly container: V1Container;
  readonly status: ContainerStatus;
  readonly from: V1ResourceRequirements;
  readonly to: V1ResourceRequirements;
}

/** What one pod was granted, what its containers have, and how far a change between the two is. */
export class PodResize {
  private allocation: Allocation;
  /** By the id of the container. */
  private readonly actuated = new Map<string, V1ResourceRequirements>();
  private readonly states = new Map<Condition, V1PodCondition>();
  private known: { readonly pod: V1Pod; readonly allocation: Allocation; readonly result: V1Pod } | undefined;

  constructor(pod: V1Pod) {
    this.allocation = pod.status?.startTime === undefined ? allocationOf(pod) : reportedAllocation(pod);
    // What an earlier process started has what it reported, whatever is granted from here on.
    for (const { name, containerID, state } of [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])]) {
      const resources = this.allocation.containers.get(name);
      if (state?.running && containerID && resources) this.actuated.set(containerID.slice(containerID.indexOf('://') + 3), resources);
    }
    for (const condition of pod.status?.conditions ?? []) if (condition.type === 'PodResizePending' || condition.type === 'PodResizeInProgress') this.states.set(condition.type, condition);
  }

  /** In the order in which they are reported. */
  get conditions(): readonly V1PodCondition[] {
    return [...this.states.values()];
  }

  /** Changes with every grant. */
  get revision(): unknown {
    return this.allocation;
  }

  /** When it began to wait, RFC 3339. */
  get pendingSince(): string | undefined {
    return this.states.get('PodResizePending')?.lastTransitionTime;
  }

  /** The pod as it is to run. */
  effective(pod: V1Pod): V1Pod {
    if (this.known?.pod !== pod || this.known.allocation !== this.allocation) this.known = { pod, allocation: this.allocation, result: allocatedPod(pod, this.allocation) };
    return this.known.result;
  }

  /** It asks for something else than it was granted. */
  isPending(pod: V1Pod): boolean {
    return this.effective(pod) !== pod;
  }

  /** Everything that it asks for is granted now. */
  grant(pod: V1Pod, now: number): void {
    this.allocation = allocationOf(pod);
    this.states.delete('PodResizePending');
    this.states.delete('PodResizeInProgress');
    this.set('PodResizeInProgress', pod.metadata?.generation, now);
  }

  /** Not now; true when that is news. */
  defer(pod: V1Pod, rejection: Rejection, now: number): boolean {
    const before = this.states.get('PodResizePending');
    const reason = rejection.reason === 'Infeasible' ? 'Infeasible' : 'Deferred';
    this.set('PodResizePending', pod.metadata?.generation, now, { reason, message: rejection.message });
    return before?.reason !== reason || before.observedGeneration !== pod.metadata?.generation;
  }

  /** It asks for what it has again; true when that is news. */
  settle(): boolean {
    return this.states.delete('PodResizePending');
  }

  /** Making the change failed; true when that is news. */
  failed(message: string, now: number): boolean {
    const before = this.states.get('PodResizeInProgress');
    this.set('PodResizeInProgress', before?.observedGeneration, now, { reason: 'Error', message });
    return before?.message !== message;
  }

  /** What was granted is what containers have; the generation that asked for it, when a change was under way. */
  completed(): { readonly generation: number } | undefined {
    const condition = this.states.get('PodResizeInProgress');
    return condition && this.states.delete('PodResizeInProgress') ? { generation: condition.observedGeneration ?? 0 } : undefined;
  }

  /** A container has these resources from now on. */
  has(containerId: string, resources: V1ResourceRequirements): void {
    this.actuated.set(containerId, resources);
  }

  /** What a container has. One that is seen for the first time has what it was granted. */
  held(pod: V1Pod, status: ContainerStatus): V1ResourceRequirements {
    const known = this.actuated.get(status.id);
    if (known) return known;
    const granted = resizableContainers(this.effective(pod)).find(({ name }) => name === status.name)?.resources ?? {};
    this.actuated.set(status.id, granted);
    return granted;
  }

  /** Containers that were started from a pod as it was then. */
  startedFrom(pod: V1Pod, containers: readonly ContainerStatus[]): void {
    for (const { name, resources } of resizableContainers(pod)) {
      const status = containers.find((item) => item.name === name);
      if (status && !this.actuated.has(status.id)) this.actuated.set(status.id, resources ?? {});
    }
  }

  /** Running containers whose resources have to change. */
  changes(pod: V1Pod, containers: readonly ContainerStatus[]): readonly ContainerResize[] {
    return resizableContainers(this.effective(pod)).flatMap((container): ContainerResize[] => {
      const status = containers.find((item) => item.name === container.name);
      if (status?.state !== 'running') return [];
      const [from, to] = [this.held(pod, status), container.resources ?? {}];
      return sameResources(from, to) ? [] : [{ container, status, from, to }];
    });
  }

  /** Forgets containers that are gone. */
  retain(containers: readonly ContainerStatus[]): void {
    const ids = new Set(containers.map(({ id }) => id));
    for (const id of this.actuated.keys()) if (!ids.has(id)) this.actuated.delete(id);
  }

  private set(type: Condition, generation: number | undefined, now: number, words: { readonly reason?: string; readonly message?: string } = {}): void {
    const before = this.states.get(type);
    this.states.set(type, { type, status: 'True', ...words, lastTransitionTime: before?.lastTransitionTime ?? timestamp(now), ...(generation === undefined ? {} : { observedGeneration: generation }) });
  }
}

/** Whether a container has to be restarted for a change (`resizePolicy`). */
export function needsRestart({ container, from, to }: ContainerResize): boolean {
  return changedResources(from, to).some((name) => container.resizePolicy?.some((policy) => policy.resourceName === name && policy.restartPolicy === 'RestartContainer'));
}
