import type { V1Lease, V1Node, V1NodeCondition } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';

const WATCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

interface Seen {
  /** What was last seen of the node's own reports; a change of it is a sign of life. */
  readonly report: string;
  /** When it changed, on the monotonic clock: clocks of nodes need not agree with ours. */
  readonly at: number;
}

/** Remembers when each node last gave a sign of life: a renewed lease, or a status it wrote. */
export class Heartbeats {
  private readonly seen = new Map<string, Seen>();

  /** Milliseconds since the last sign of life. */
  silence(node: V1Node, lease: V1Lease | undefined, now: number): number {
    const name = node.metadata?.name ?? '';
    const ready = findCondition(node.status?.conditions, 'Ready');
    const report = `${lease?.spec?.renewTime ?? ''} ${ready?.lastHeartbeatTime ?? ''}`;
    const last = this.seen.get(name);
    if (last?.report === report) return now - last.at;
    this.seen.set(name, { report, at: now });
    return 0;
  }

  forget(name: string): void {
    this.seen.delete(name);
  }
}

/** The conditions of a silent node: all of its own reports are Unknown. The list itself when they are already. */
export function silentConditions(node: V1Node, timestamp: string): readonly V1NodeCondition[] {
  const conditions = node.status?.conditions ?? [];
  const changed = WATCHED.filter((type) => findCondition(conditions, type)?.status !== 'Unknown');
  if (changed.length === 0) return conditions;
  const kept = conditions.map((condition): V1NodeCondition =>
    changed.includes(condition.type)
      ? { ...condition, status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.', lastTransitionTime: timestamp }
      : condition);
  const never = changed
    .filter((type) => !findCondition(conditions, type))
    .map((type): V1NodeCondition => ({
      type, status: 'Unknown', reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.',
      lastHeartbeatTime: node.metadata?.creationTimestamp ?? timestamp, lastTransitionTime: timestamp,
    }));
  return [...kept, ...never];
}
