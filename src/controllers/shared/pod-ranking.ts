import type { V1Pod } from '../../api/generated/types.js';
import { isPodReady, podCondition } from '../../api/helpers/pod-state.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

interface Ranked {
  readonly pod: V1Pod;
  readonly assigned: boolean;
  readonly phase: number;
  readonly ready: boolean;
  readonly cost: number;
  readonly neighbours: number;
  readonly readySince: number | undefined;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly created: number | undefined;
}

/**
 * Pods in the order in which a controller gives them up, the first to go first: not assigned before assigned, pending before
 * unknown before running, not ready before ready, lower deletion cost first, many related pods on the node first, ready for a shorter time first,
 * more restarts first, younger first. Times are compared by the logarithm of the age, so that among
 * pods of about the same age chance (the UID) decides.
 *
 * @param neighbours how many active pods of the same owner's owner run on a node
 */
export function rankForDeletion(pods: readonly V1Pod[], neighbours: (nodeName: string) => number, now: number): V1Pod[] {
  return pods
    .map((pod) => rank(pod, neighbours(pod.spec?.nodeName ?? '')))
    .sort((a, b) => compare(a, b, now))
    .map((ranked) => ranked.pod);
}

function rank(pod: V1Pod, neighbours: number): Ranked {
  const ready = isPodReady(pod);
  const sidecars = new Set((pod.spec?.initContainers ?? []).filter((container) => container.restartPolicy === 'Always').map((container) => container.name));
  return {
    pod,
    assigned: Boolean(pod.spec?.nodeName),
    phase: PHASES[pod.status?.phase ?? ''] ?? 0,
    ready,
    cost: deletionCost(pod),
    neighbours,
    readySince: ready ? parseTimestamp(podCondition(pod, 'Ready')?.lastTransitionTime) : undefined,
    restarts: Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount)),
    sidecarRestarts: Math.max(0, ...(pod.status?.initContainerStatuses ?? []).filter((status) => sidecars.has(status.name)).map((status) => status.restartCount)),
    created: parseTimestamp(pod.metadata?.creationTimestamp),
  };
}

/** An annotation that is not a 32-bit integer in its canonical form counts as 0. */
function deletionCost(pod: V1Pod): number {
  const text = pod.metadata?.annotations?.[DELETION_COST];
  if (text === undefined || !/^(0|-?[1-9]\d*)$/.test(text)) return 0;
  const value = Number(text);
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : 0;
}

function compare(a: Ranked, b: Ranked, now: number): number {
  if (a.assigned !== b.assigned) return a.assigned ? 1 : -1;
  if (a.phase !== b.phase) return a.phase - b.phase;
  if (a.ready !== b.ready) return a.ready ? 1 : -1;
  if (a.cost !== b.cost) return a.cost - b.cost;
  if (a.neighbours !== b.neighbours) return b.neighbours - a.neighbours;
  if (a.ready && b.ready && a.readySince !== b.readySince) return compareAge(a, b, a.readySince, b.readySince, now);
  if (a.restarts !== b.restarts) return b.restarts - a.restarts;
  if (a.sidecarRestarts !== b.sidecarRestarts) return b.sidecarRestarts - a.sidecarRestarts;
  if (a.created !== b.created) return compareAge(a, b, a.created, b.created, now);
  return 0;
}

function compareAge(a: Ranked, b: Ranked, timeA: number | undefined, timeB: number | undefined, now: number): number {
  if (timeA === undefined || timeB === undefined) return timeA === undefined ? -1 : 1;
  const difference = ageClass(now - timeA) - ageClass(now - timeB);
  if (difference !== 0) return difference;
  return (a.pod.metadata?.uid ?? '') < (b.pod.metadata?.uid ?? '') ? -1 : 1;
}

/** The whole part of log2 of the age in nanoseconds. */
function ageClass(milliseconds: number): number {
  return milliseconds <= 0 ? -1 : Math.floor(Math.log2(milliseconds * 1e6));
}
