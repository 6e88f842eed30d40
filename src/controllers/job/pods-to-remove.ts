import type { V1Job, V1Pod } from '../../api/generated/types.js';
import { isPodReady, podCondition } from '../../api/helpers/pod-state.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';
import { isIndexed } from './job-facts.js';
import { completionIndex, validIndex } from './pod-index.js';

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Active pods that have to go: of an indexed job those without a valid index and all but one of each index, and then as many as it takes to be `atLeast`,
 * those first that have done least.
 */
export function podsToRemove(job: V1Job, active: readonly V1Pod[], atLeast: number): V1Pod[] {
  const { surplus, kept } = isIndexed(job) ? splitIndexes(job, active) : { surplus: [], kept: [...active] };
  if (surplus.length >= atLeast) return surplus;
  return [...surplus, ...kept.sort(byProgress).slice(0, atLeast - surplus.length)];
}

function splitIndexes(job: V1Job, active: readonly V1Pod[]): { readonly surplus: V1Pod[]; readonly kept: V1Pod[] } {
  const surplus = active.filter((pod) => completionIndex(pod) === undefined);
  const beyond: V1Pod[] = [];
  const perIndex = new Map<number, V1Pod[]>();
  for (const pod of active) {
    const index = validIndex(pod, job);
    if (index !== undefined) perIndex.set(index, [...(perIndex.get(index) ?? []), pod]);
    else if (completionIndex(pod) !== undefined) beyond.push(pod);
  }
  const kept: V1Pod[] = [];
  for (const pods of perIndex.values()) {
    pods.sort(byProgress);
    kept.push(pods.pop()!);
    surplus.push(...pods);
  }
  return { surplus: [...surplus, ...beyond], kept };
}

/** Without a node before with one, pending before running, not ready before ready, ready for a shorter time, restarted more often, younger. */
function byProgress(a: V1Pod, b: V1Pod): number {
  return (
    Number(Boolean(a.spec?.nodeName)) - Number(Boolean(b.spec?.nodeName)) ||
    (PHASES[a.status?.phase ?? ''] ?? 0) - (PHASES[b.status?.phase ?? ''] ?? 0) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    (isPodReady(a) ? laterFirst(podCondition(a, 'Ready')?.lastTransitionTime, podCondition(b, 'Ready')?.lastTransitionTime) : 0) ||
    restarts(b) - restarts(a) ||
    laterFirst(a.metadata?.creationTimestamp, b.metadata?.creationTimestamp)
  );
}

/** A time that is not known is the latest. */
function laterFirst(a: string | undefined, b: string | undefined): number {
  const [x, y] = [parseTimestamp(a) ?? Infinity, parseTimestamp(b) ?? Infinity];
  return x === y ? 0 : x > y ? -1 : 1;
}

function restarts(pod: V1Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount));
}
