import type { V1Pod, V1PodCondition, V1ResourceRequirements } from '../../../api/generated/types.js';
import { errorMessage } from '../../../base/errors.js';
import type { ContainerStatus } from '../../runtime/index.js';
import type { PodRuntimeView } from '../../status/runtime-view.js';
import type { Rejection } from '../admission.js';
import type { NodeContext } from '../node-context.js';
import { podGroupResources } from '../sandbox-config.js';
import { actuate } from './actuate.js';
import { resizeMessage } from './messages.js';
import type { ResizingPod } from './pending-resizes.js';
import { needsRestart, PodResize, type ContainerResize } from './pod-resize.js';

/** Milliseconds after which resources that could not be changed are tried again. */
const RETRY = 10_000;

/** The worker of a pod, as its resizer sees it. */
export interface ResizerOwner {
  readonly latest: V1Pod;
  /** The pod is to end: nothing changes any more. */
  readonly ending: boolean;
  /** Asks for a pass. */
  trigger(): void;
  /** Asks for a pass after so many milliseconds at the latest. */
  wake(milliseconds: number): void;
}

/** Changes the resources of one pod while it runs. On nodes that pretend everything is granted and made at once. */
export class PodResizer implements ResizingPod {
  private readonly state: PodResize;
  /** A container begins anew with other resources: the pod's own follow. */
  private groupStale = false;

  constructor(
    private readonly node: NodeContext,
    private readonly owner: ResizerOwner,
  ) {
    this.state = new PodResize(owner.latest);
  }

  get latest(): V1Pod {
    return this.owner.latest;
  }

  /** The pod with the resources that it was granted. */
  get allocated(): V1Pod {
    return this.node.local ? this.state.effective(this.latest) : this.latest;
  }

  /** Changes with every grant. */
  get revision(): unknown {
    return this.state.revision;
  }

  get resizePending(): boolean {
    return this.node.local !== undefined && !this.owner.ending && this.state.isPending(this.latest);
  }

  get resizePendingSince(): string | undefined {
    return this.state.pendingSince;
  }

  /** What the status tells of it; nothing on nodes that pretend. */
  get reported(): { readonly resize?: readonly V1PodCondition[]; readonly actuated?: (status: ContainerStatus) => V1ResourceRequirements } {
    return this.node.local ? { resize: this.state.conditions, actuated: (status) => this.state.held(this.latest, status) } : {};
  }

  grantResize(): void {
    this.state.grant(this.latest, this.node.clock.now());
    this.event('Normal', 'ResizeStarted', 'Pod resize started');
    this.owner.trigger();
  }

  deferResize(rejection: Rejection): void {
    if (!this.state.defer(this.latest, rejection, this.node.clock.now())) return;
    const reason = rejection.reason === 'Infeasible' ? 'Infeasible' : 'Deferred';
    this.event('Warning', `Resize${reason}`, `Pod resize ${reason}`, rejection.message);
    this.owner.trigger();
  }

  /** What it asks for is what it has again. */
  settleResize(): void {
    if (this.state.settle()) this.owner.trigger();
  }

  /** Running containers that have to change. */
  changes(view: PodRuntimeView): readonly ContainerResize[] {
    return this.node.local ? this.state.changes(this.latest, view.containers) : [];
  }

  /** Gives running containers what they were granted, but for those that begin anew. True when there is something new to report: it failed. */
  async actuate(pod: V1Pod, view: PodRuntimeView, changes: readonly ContainerResize[]): Promise<boolean> {
    if (!view.readySandbox || (changes.length === 0 && !this.groupStale)) return false;
    const { containers } = this.node.runtime;
    const restarts = changes.some(needsRestart);
    const running = changes.filter((change) => !needsRestart(change));
    try {
      if (running.length > 0) await actuate(this.node.runtime.containers, pod, view.readySandbox, this.state, running);
      // Once they have ended, so that what they use does not stand in the way.
      else if (this.groupStale && !restarts) await containers.updatePodSandboxResources?.(view.readySandbox.id, podGroupResources(pod));
      this.groupStale = restarts;
      return false;
    } catch (error) {
      this.owner.wake(RETRY);
      if (!this.state.failed(errorMessage(error), this.node.clock.now())) return false;
      this.event('Warning', 'ResizeError', 'Pod resize error', errorMessage(error));
      return true;
    }
  }

  /** Containers were started from a pod as it was at the time. */
  startedFrom(pod: V1Pod, view: PodRuntimeView): void {
    this.state.startedFrom(pod, view.containers);
  }

  get inProgress(): boolean {
    return this.node.local !== undefined && this.state.conditions.some(({ type }) => type === 'PodResizeInProgress');
  }

  /** Ends a change whose containers have what they were granted. True when it did. */
  complete(view: PodRuntimeView): boolean {
    if (this.groupStale || this.changes(view).length > 0) return false;
    const done = this.state.completed();
    if (done) this.node.events.pod(this.latest, 'Normal', 'ResizeCompleted', resizeMessage('Pod resize completed', this.allocated, done.generation));
    this.state.retain(view.containers);
    return done !== undefined;
  }

  /** Without asking anybody, on nodes that pretend. */
  async pretend(view: PodRuntimeView): Promise<void> {
    for (const container of this.latest.spec?.containers ?? []) {
      const status = view.containers.find((item) => item.name === container.name && item.state === 'running');
      if (status) await this.node.runtime.containers.updateContainerResources(status.id, container.resources ?? {}).catch((error: unknown) => this.node.log.warn('resize failed', { pod: this.latest.metadata?.name, error: errorMessage(error) }));
    }
  }

  private event(type: 'Normal' | 'Warning', reason: string, what: string, error = ''): void {
    this.node.events.pod(this.latest, type, reason, resizeMessage(what, this.latest, this.latest.metadata?.generation ?? 0, error));
  }
}
