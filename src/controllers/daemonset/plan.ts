import type { V1DaemonSet, V1Node, V1Pod } from '../../api/generated/types.js';
import { isPodAvailable, isPodReady } from '../../api/helpers/pod-state.js';
import { scaledValue } from '../shared/int-or-percent.js';
import { byAge, isUpdated } from './daemon-pod.js';
import type { Eligibility } from './eligibility.js';

/** A node with the set's pods on it. */
export interface NodePods {
  readonly node: V1Node;
  readonly eligibility: Eligibility;
  readonly pods: readonly V1Pod[];
}

/** What a set looks like at one moment. */
export interface DaemonView {
  readonly set: V1DaemonSet;
  readonly nodes: readonly NodePods[];
  /** Pods pinned to nodes that do not exist (any more), not bound yet. */
  readonly stray: readonly V1Pod[];
  /** Hashes of the revisions that equal the set's template. */
  readonly hashes: ReadonlySet<string>;
  readonly now: number;
}

/** What to do. */
export interface DaemonPlan {
  /** Nodes that need a pod. */
  readonly create: string[];
  readonly remove: V1Pod[];
}

/** Decides what becomes of a pod that failed: true when it may be replaced now. */
export type FailedPodDecision = (nodeName: string, pod: V1Pod) => boolean;

/** Brings the number of pods in line: one per node that should have one, none where none may stay. `finished` is told of pods that succeeded. */
export function planPlacement(view: DaemonView, mayReplaceFailed: FailedPodDecision, finished: (pod: V1Pod) => void): DaemonPlan {
  const plan: DaemonPlan = { create: [], remove: [...view.stray] };
  const surge = allowsSurge(view.set);
  for (const { node, eligibility, pods } of view.nodes) {
    const name = node.metadata?.name ?? '';
    if (eligibility.shouldRun && pods.length === 0) {
      plan.create.push(name);
      continue;
    }
    if (!eligibility.mayStay) {
      plan.remove.push(...pods.filter((pod) => !pod.metadata?.deletionTimestamp));
      continue;
    }
    const running: V1Pod[] = [];
    for (const pod of pods) {
      if (pod.metadata?.deletionTimestamp) continue;
      if (pod.status?.phase === 'Failed') {
        if (mayReplaceFailed(name, pod)) plan.remove.push(pod);
      } else if (pod.status?.phase === 'Succeeded') {
        finished(pod);
        plan.remove.push(pod);
      } else running.push(pod);
    }
    if (!surge) plan.remove.push(...running.sort(byAge).slice(1));
    else if (running.length === 0 && eligibility.shouldRun) plan.create.push(name);
    else plan.remove.push(...surplusDuringSurge(view, running));
  }
  return plan;
}

/** During a surge a node may have one pod of the new and one of the old revision, until the new one is available or the old one is broken. */
function surplusDuringSurge(view: DaemonView, running: V1Pod[]): V1Pod[] {
  if (running.length <= 1) return [];
  running.sort(byAge);
  const newest = running.find((pod) => isUpdated(pod, view.set, view.hashes));
  const old = running.find((pod) => !isUpdated(pod, view.set, view.hashes));
  const surplus = running.filter((pod) => pod !== newest && pod !== old);
  if (newest && old && (!isPodReady(old) || isAvailable(view, newest))) surplus.push(old);
  return surplus;
}

/** One step of a rolling update, within `maxUnavailable` or `maxSurge`. */
export function planUpdate(view: DaemonView): DaemonPlan {
  const desired = view.nodes.filter(({ eligibility }) => eligibility.shouldRun).length;
  const rolling = view.set.spec?.updateStrategy?.rollingUpdate;
  const maxSurge = scaledValue(rolling?.maxSurge ?? 0, desired, true);
  let maxUnavailable = scaledValue(rolling?.maxUnavailable ?? 0, desired, true);
  if (desired > 0 && maxUnavailable === 0 && maxSurge === 0) maxUnavailable = 1;
  const nodes = view.nodes.filter(({ eligibility, pods }) => eligibility.shouldRun || pods.length > 0);
  return maxSurge === 0 ? replaceInPlace(view, nodes, maxUnavailable) : replaceWithSurge(view, nodes, maxSurge, desired);
}

function replaceInPlace(view: DaemonView, nodes: readonly NodePods[], maxUnavailable: number): DaemonPlan {
  let unavailable = 0;
  const broken: V1Pod[] = [];
  const candidates: V1Pod[] = [];
  for (const { pods } of nodes) {
    const pair = pairOn(view, pods);
    if (!pair || Boolean(pair.updated) === Boolean(pair.old)) unavailable += 1;
    else if (pair.updated) unavailable += isAvailable(view, pair.updated) ? 0 : 1;
    else if (!isAvailable(view, pair.old!)) {
      // What does not work may be replaced at any time.
      broken.push(pair.old!);
      unavailable += 1;
    } else candidates.push(pair.old!);
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] };
}

function replaceWithSurge(view: DaemonView, nodes: readonly NodePods[], maxSurge: number, desired: number): DaemonPlan {
  const plan: DaemonPlan = { create: [], remove: [] };
  const candidates: string[] = [];
  const unwanted: V1Pod[] = [];
  let surging = 0;
  let available = 0;
  for (const { node, eligibility, pods } of nodes) {
    const name = node.metadata?.name ?? '';
    const pair = pairOn(view, pods);
    if (!pair) {
      surging += 1;
      continue;
    }
    const { old, updated } = pair;
    const counted = old ?? updated;
    if (counted && isAvailable(view, counted)) available += 1;
    if (!old) continue;
    if (updated) {
      if (isAvailable(view, updated)) plan.remove.push(old);
      else surging += 1;
    } else if (!eligibility.shouldRun) (isAvailable(view, old) ? unwanted : plan.remove).push(old);
    else if (!isAvailable(view, old)) plan.create.push(name);
    else candidates.push(name);
  }
  // Pods on nodes that no longer qualify stay until there are enough others.
  plan.remove.push(...unwanted.slice(0, Math.max(0, available - desired)));
  plan.create.push(...candidates.slice(0, Math.max(0, maxSurge - surging)));
  return plan;
}

/** The pod of the new and the one of an old revision on a node; undefined when there are too many. */
function pairOn(view: DaemonView, pods: readonly V1Pod[]): { readonly updated?: V1Pod; readonly old?: V1Pod } | undefined {
  let updated: V1Pod | undefined;
  let old: V1Pod | undefined;
  for (const pod of pods) {
    if (pod.metadata?.deletionTimestamp) continue;
    if (isUpdated(pod, view.set, view.hashes)) {
      if (updated) return undefined;
      updated = pod;
    } else {
      if (old) return undefined;
      old = pod;
    }
  }
  return { ...(updated ? { updated } : {}), ...(old ? { old } : {}) };
}

function allowsSurge(set: V1DaemonSet): boolean {
  const strategy = set.spec?.updateStrategy;
  return strategy?.type === 'RollingUpdate' && scaledValue(strategy.rollingUpdate?.maxSurge ?? 0, 1, true) > 0;
}

function isAvailable(view: DaemonView, pod: V1Pod): boolean {
  return isPodAvailable(pod, view.set.spec?.minReadySeconds ?? 0, view.now);
}
