import type { V1Pod, V1PodDisruptionBudget } from '../../api/generated/types.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { WhatIf } from '../framework/node-filters.js';
import type { NodeFilter } from '../framework/plugin.js';
import { PodSelector } from '../framework/pod-selector.js';
import { unresolvable, type Rejection } from '../framework/rejection.js';

/** Pods to remove from a node, the most important first. */
export interface Victims {
  readonly nodeName: string;
  readonly pods: readonly PodInfo[];
  /** Removing them breaks this many times a disruption budget. */
  readonly budgetViolations: number;
}

export interface VictimSearch {
  readonly pod: PodInfo;
  readonly filters: readonly NodeFilter[];
  readonly budgets: readonly V1PodDisruptionBudget[];
  /** Pods nominated to a node that compete with {@link pod}. */
  readonly nominated: (nodeName: string) => readonly PodInfo[];
  /** Milliseconds; when pods without a start time count as started. */
  readonly now: number;
}

const NO_VICTIMS = unresolvable('DefaultPreemption', 'No preemption victims found for incoming pod');

/**
 * The fewest pods of lower priority to remove so that the pod fits. First all are taken away; then as many as possible are put back, those
 * whose removal would break a budget before others, and the important before the less important.
 */
export function selectVictims(search: VictimSearch, node: NodeInfo, position: number): Victims | Rejection {
  const { pod, filters, budgets, now } = search;
  const lower = node.pods.filter((one) => one.priority < pod.priority);
  if (lower.length === 0) return NO_VICTIMS;
  const whatIf = new WhatIf(filters, node, position);
  const nominated = search.nominated(node.name);
  for (const one of lower) whatIf.remove(one);
  const rejection = whatIf.test(nominated);
  if (rejection) return rejection;
  lower.sort((a, b) => compareImportance(a, b, now));
  const { violating, others } = splitByBudget(lower, budgets);
  const victims: PodInfo[] = [];
  let budgetViolations = 0;
  const stays = (one: PodInfo): boolean => {
    whatIf.add(one);
    if (!whatIf.test(nominated)) return true;
    whatIf.remove(one);
    victims.push(one);
    return false;
  };
  for (const one of violating) if (!stays(one)) budgetViolations++;
  for (const one of others) stays(one);
  victims.sort((a, b) => compareImportance(a, b, now));
  return { nodeName: node.name, pods: victims, budgetViolations };
}

/** Milliseconds; pods that have not started count as starting now. */
export function startTime(pod: V1Pod, now: number): number {
  return pod.status?.startTime ? Date.parse(pod.status.startTime) : now;
}

function compareImportance(a: PodInfo, b: PodInfo, now: number): number {
  return b.priority - a.priority || startTime(a.pod, now) - startTime(b.pod, now);
}

function splitByBudget(pods: readonly PodInfo[], budgets: readonly V1PodDisruptionBudget[]): { readonly violating: PodInfo[]; readonly others: PodInfo[] } {
  const left = budgets.map((budget) => ({ budget, selector: selectorOf(budget), allowed: budget.status?.disruptionsAllowed ?? 0 }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const entry of left) {
      if (entry.budget.metadata?.namespace !== pod.namespace || !pod.labels || entry.selector.empty || !entry.selector.matches(pod.labels)) continue;
      // The API server has counted this pod already.
      if (entry.budget.status?.disruptedPods?.[pod.name] !== undefined) continue;
      entry.allowed--;
      if (entry.allowed < 0) violates = true;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}

function selectorOf(budget: V1PodDisruptionBudget): PodSelector {
  try {
    return PodSelector.fromObject(budget.spec?.selector);
  } catch {
    return PodSelector.nothing;
  }
}
