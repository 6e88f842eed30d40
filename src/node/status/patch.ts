import type { V1PodCondition, V1PodStatus } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { findCondition } from '../../api/helpers/conditions.js';
import { AGENT_CONDITIONS } from './conditions.js';

/** Fields of a pod's status that the agent owns. */
const FIELDS = [
  'phase', 'reason', 'message', 'observedGeneration', 'hostIP', 'hostIPs', 'podIP', 'podIPs', 'startTime', 'qosClass',
  'containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses', 'resources', 'allocatedResources',
] as const;

/** Lists whose elements a strategic merge patch merges by key. */
const MERGED = new Set<string>(['hostIPs', 'podIPs']);

/**
 * The strategic merge patch that makes `from` into `to`, or undefined when they are equal. Conditions of others are left
 * alone; `uid` guards against a pod of the same name that was made anew.
 */
export function statusPatch(uid: string, from: V1PodStatus | undefined, to: V1PodStatus): Record<string, unknown> | undefined {
  const status: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const before = from?.[field];
    const after = to[field];
    if (deepEqual(before, after)) continue;
    if (after === undefined) status[field] = null;
    else status[field] = MERGED.has(field) && Array.isArray(before) && before.length > 0 ? [{ $patch: 'replace' }, ...(after as readonly unknown[])] : after;
  }
  const conditions = changedConditions(from?.conditions, to.conditions);
  if (conditions.length > 0) status['conditions'] = conditions;
  return Object.keys(status).length === 0 ? undefined : { metadata: { uid }, status };
}

function changedConditions(from: readonly V1PodCondition[] | undefined, to: readonly V1PodCondition[] | undefined): unknown[] {
  const changes: unknown[] = [];
  for (const condition of to ?? []) {
    const before = findCondition(from, condition.type);
    if (!AGENT_CONDITIONS.includes(condition.type) && condition.type !== 'DisruptionTarget') continue;
    if (!before) changes.push(condition);
    else if (!deepEqual(before, condition)) {
      // Absent fields would stay in a merge.
      changes.push({ ...(before.reason !== undefined ? { reason: null } : {}), ...(before.message !== undefined ? { message: null } : {}), ...condition });
    }
  }
  for (const { type } of from ?? []) {
    if (AGENT_CONDITIONS.includes(type) && !findCondition(to, type)) changes.push({ $patch: 'delete', type });
  }
  return changes;
}
