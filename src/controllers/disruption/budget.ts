import type { V1Pod, V1PodDisruptionBudget } from '../../api/generated/types.js';
import { isPodReady, isPodTerminal } from '../../api/helpers/pod-state.js';
import { scaledValue } from '../shared/int-or-percent.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';

/** An eviction that was allowed but whose pod is not seen to go is forgotten after this. */
const DISRUPTION_TIMEOUT_MILLISECONDS = 120_000;

/** The numbers of a budget's status. */
export interface BudgetNumbers {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptionsAllowed: number;
  readonly disruptedPods: Readonly<Record<string, string>>;
  /** When the oldest allowed eviction is to be forgotten, in milliseconds. */
  readonly recheckAt: number | undefined;
}

/** Scale of the controller of a group of pods. */
export interface ScaleOfOwner {
  readonly uid: string;
  readonly replicas: number;
}

/**
 * How many healthy pods a budget asks for, of how many expected ones. With `maxUnavailable`, or a percentage, the
 * expected number is the sum of the scales of the pods' controllers; else it is the pods that are there.
 */
export function expectedNumbers(budget: V1PodDisruptionBudget, pods: readonly V1Pod[], scales: readonly ScaleOfOwner[]): { expectedPods: number; desiredHealthy: number } {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  const total = scales.reduce((sum, scale) => sum + scale.replicas, 0);
  if (maxUnavailable !== undefined) return { expectedPods: total, desiredHealthy: Math.max(0, total - scaledValue(maxUnavailable, total, true)) };
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable };
  if (typeof minAvailable === 'string') return { expectedPods: total, desiredHealthy: scaledValue(minAvailable, total, true) };
  return { expectedPods: pods.length, desiredHealthy: 0 };
}

/** Whether a budget needs to know the scales of its pods' controllers. */
export function needsScales(budget: V1PodDisruptionBudget): boolean {
  return budget.spec?.maxUnavailable !== undefined || typeof budget.spec?.minAvailable === 'string';
}

/** All numbers of a budget at `now`. */
export function budgetNumbers(budget: V1PodDisruptionBudget, pods: readonly V1Pod[], scales: readonly ScaleOfOwner[], now: number): BudgetNumbers {
  const disruptedPods: Record<string, string> = {};
  let recheckAt: number | undefined;
  const present = new Map(pods.map((pod) => [pod.metadata?.name ?? '', pod]));
  for (const [name, time] of Object.entries(budget.status?.disruptedPods ?? {})) {
    const pod = present.get(name);
    const expires = (parseTimestamp(time) ?? 0) + DISRUPTION_TIMEOUT_MILLISECONDS;
    if (!pod || pod.metadata?.deletionTimestamp || expires <= now) continue;
    disruptedPods[name] = time;
    recheckAt = Math.min(recheckAt ?? Infinity, expires);
  }
  const counted = pods.filter((pod) => !isPodTerminal(pod));
  const healthy = counted.filter((pod) => !pod.metadata?.deletionTimestamp && !(pod.metadata?.name! in disruptedPods) && isPodReady(pod)).length;
  const { expectedPods, desiredHealthy } = expectedNumbers(budget, counted, scales);
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, healthy - desiredHealthy);
  return { currentHealthy: healthy, desiredHealthy, expectedPods, disruptionsAllowed, disruptedPods, recheckAt };
}
