import { startTime, type Victims } from './preemption-victims.js';

/** Priorities are moved above zero so that fewer pods of negative priority do not look worse than more of them. */
const PRIORITY_OFFSET = 2 ** 31;

/**
 * The candidate that hurts least: fewest broken budgets, then lowest highest priority, lowest sum of priorities, fewest victims, and then
 * the latest start among the victims of highest priority; the first of those that are left. `now` in milliseconds.
 */
export function pickCandidate(candidates: readonly Victims[], now: number): Victims | undefined {
  const costs: readonly ((one: Victims) => number)[] = [
    (one) => one.budgetViolations,
    (one) => highestPriority(one),
    (one) => one.pods.reduce((sum, pod) => sum + pod.priority + PRIORITY_OFFSET, 0),
    (one) => one.pods.length,
    (one) => -earliestStart(one, now),
  ];
  let left = candidates;
  for (const cost of costs) {
    if (left.length <= 1) break;
    const least = left.reduce((lowest, one) => Math.min(lowest, cost(one)), Infinity);
    left = left.filter((one) => cost(one) === least);
  }
  return left[0];
}

function highestPriority({ pods }: Victims): number {
  return pods.reduce((highest, pod) => Math.max(highest, pod.priority), -Infinity);
}

function earliestStart(victims: Victims, now: number): number {
  const highest = highestPriority(victims);
  return victims.pods.filter((pod) => pod.priority === highest).reduce((earliest, { pod }) => Math.min(earliest, startTime(pod, now)), Infinity);
}
