import type { V1Pod, V1PodCondition } from '../api/generated/types.js';
import { findCondition } from '../api/helpers/conditions.js';
import { PODS } from '../api/resource-refs.js';
import { StatusError } from '../api/status-error.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Client } from '../client/index.js';
import { timestamp } from '../api/meta/timestamp.js';

/** What is to be written into a pod's status. */
export interface PodStatusChange {
  /** `lastTransitionTime` is set by the updater. */
  readonly condition?: V1PodCondition;
  /** Empty removes the nomination; absent leaves it alone. */
  readonly nominatedNodeName?: string;
}

interface Waiting {
  readonly pod: V1Pod;
  readonly change: PodStatusChange;
}

/**
 * Writes pod statuses in the background: at most one write per pod at a time, later changes of a waiting pod join its next write, and what
 * the pod's status says already is not written.
 */
export class PodStatusUpdater {
  private readonly waiting = new Map<string, Waiting>();
  private readonly busy = new Set<string>();
  private closed = false;

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
    private readonly log: Logger,
    /** The newest known state of a pod. */
    private readonly latest: (pod: V1Pod) => V1Pod | undefined,
    private readonly concurrency = 16,
  ) {}

  update(pod: V1Pod, change: PodStatusChange): void {
    const uid = pod.metadata?.uid ?? '';
    this.waiting.set(uid, { pod, change: { ...this.waiting.get(uid)?.change, ...change } });
    this.pump();
  }

  /** The pod is gone, or bound: nothing is written any more. */
  forget(uid: string): void {
    this.waiting.delete(uid);
  }

  close(): void {
    this.closed = true;
    this.waiting.clear();
  }

  private pump(): void {
    if (this.closed) return;
    for (const [uid, { pod, change }] of this.waiting) {
      if (this.busy.size >= this.concurrency) return;
      if (this.busy.has(uid)) continue;
      this.waiting.delete(uid);
      const patch = this.patchFor(pod, change);
      if (!patch) continue;
      this.busy.add(uid);
      void this.write(uid, pod, patch);
    }
  }

  private async write(uid: string, pod: V1Pod, status: object): Promise<void> {
    try {
      await this.client.resource(PODS).patch(pod.metadata?.namespace ?? '', pod.metadata?.name ?? '', 'strategic', { metadata: { uid }, status }, 'status');
    } catch (error) {
      // The pod may be gone, or another of its name be there.
      const expected = StatusError.is(error, 'NotFound') || StatusError.is(error, 'Conflict');
      if (!expected && !this.closed) this.log.error('updating pod status failed', { pod: `${pod.metadata?.namespace}/${pod.metadata?.name}`, error });
    }
    this.busy.delete(uid);
    this.pump();
  }

  private patchFor(pod: V1Pod, { condition, nominatedNodeName }: PodStatusChange): object | undefined {
    const known = this.latest(pod);
    const current = known?.metadata?.uid === pod.metadata?.uid ? known : pod;
    const patch: { conditions?: V1PodCondition[]; nominatedNodeName?: string | null } = {};
    const old = condition && findCondition(current?.status?.conditions, condition.type);
    if (condition && !sameCondition(old, condition)) {
      const now = timestamp(this.clock.now());
      patch.conditions = [{ ...condition, lastTransitionTime: old?.status === condition.status ? (old.lastTransitionTime ?? now) : now }];
    }
    if (nominatedNodeName !== undefined && nominatedNodeName !== (current?.status?.nominatedNodeName ?? '')) {
      patch.nominatedNodeName = nominatedNodeName === '' ? null : nominatedNodeName;
    }
    return Object.keys(patch).length > 0 ? patch : undefined;
  }
}

function sameCondition(old: V1PodCondition | undefined, next: V1PodCondition): boolean {
  return (
    old !== undefined && old.status === next.status && old.reason === next.reason && old.message === next.message && old.observedGeneration === next.observedGeneration
  );
}
