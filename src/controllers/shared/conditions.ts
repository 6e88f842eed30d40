import { findCondition, type ConditionLike } from '../../api/helpers/conditions.js';
import { timestamp } from '../../api/meta/timestamp.js';

/**
 * The list with `condition` in place of the one of its type, put last. Nothing changes when status and reason are the same (so a
 * message alone is not news); the transition time is kept when the status is the same. This is how the workload controllers do it.
 */
export function replaceCondition<C extends ConditionLike>(conditions: readonly C[] | undefined, condition: C): readonly C[] {
  const current = findCondition(conditions, condition.type);
  if (current && current.status === condition.status && current.reason === condition.reason) return conditions ?? [];
  const next = current && current.status === condition.status && current.lastTransitionTime ? { ...condition, lastTransitionTime: current.lastTransitionTime } : condition;
  return [...(conditions ?? []).filter((other) => other.type !== condition.type), next];
}

/** A condition as of `now` (milliseconds). */
export function newCondition(type: string, status: 'True' | 'False' | 'Unknown', reason: string, message: string, now: number): Required<ConditionLike> {
  return { type, status, lastTransitionTime: timestamp(now), reason, message };
}
