import type { Random } from '../../base/random.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import type { Diagnosis } from './fit-error.js';
import { runFilters, WhatIf } from './node-filters.js';
import type { NodeFilter } from './plugin.js';
import type { PodCycle } from './pod-cycle.js';
import { rejectionMessage, unresolvable, type Rejection } from './rejection.js';

/** The search never stops before this many nodes fit. */
const MIN_FEASIBLE_NODES = 100;
const MIN_FEASIBLE_PERCENTAGE = 5;

/**
 * After how many fitting nodes the search stops. With `percentage` 0 it is half of them for small clusters, and a smaller share the larger
 * the cluster is.
 */
export function feasibleNodesToFind(nodes: number, percentage: number): number {
  if (nodes < MIN_FEASIBLE_NODES) return nodes;
  const share = percentage > 0 ? percentage : Math.max(MIN_FEASIBLE_PERCENTAGE, 50 - Math.trunc(nodes / 125));
  return Math.max(MIN_FEASIBLE_NODES, Math.trunc((nodes * share) / 100));
}

/** A reporter of plugins' work; what it costs is up to it. */
export interface StageObserver {
  plugin(plugin: string, extensionPoint: string, work: () => void): void;
}

/** Where filtering may look, or why nowhere. */
export type Prepared = { readonly nodeNames: ReadonlySet<string> | undefined; readonly narrowing: readonly string[] } | { readonly rejection: Rejection };

/** Asks the filter plugins for their filters, which are put into `cycle`. */
export function prepareFilters(cycle: PodCycle, observer: StageObserver): Prepared {
  let nodeNames: ReadonlySet<string> | undefined;
  const narrowing: string[] = [];
  for (const plugin of cycle.profile.filters) {
    cycle.prepared.add(plugin.name);
    let made: NodeFilter | Rejection | undefined;
    observer.plugin(plugin.name, 'PreFilter', () => (made = plugin.prepareFilter(cycle.pod, cycle.snapshot)));
    if (!made) continue;
    if ('code' in made) return { rejection: made };
    cycle.filters.set(plugin.name, made);
    if (!made.nodeNames) continue;
    narrowing.push(plugin.name);
    const before: ReadonlySet<string> | undefined = nodeNames;
    nodeNames = before ? new Set([...made.nodeNames].filter((name) => before.has(name))) : made.nodeNames;
    if (nodeNames.size === 0) {
      const names = [...narrowing].sort().join(' ');
      return { rejection: unresolvable(plugin.name, narrowing.length === 1 ? `node(s) didn't satisfy plugin ${names}` : `node(s) didn't satisfy plugin(s) [${names}] simultaneously`) };
    }
  }
  return { nodeNames, narrowing };
}

/** Looks up nominated pods that a pod has to leave room for. */
export interface Nominations {
  readonly any: boolean;
  competing(nodeName: string, pod: PodInfo): readonly PodInfo[];
}

/** Where a search begins and when it ends. */
export interface NodeSearch {
  readonly nominations: Nominations;
  /** Position in the list of nodes to start at. */
  readonly start: number;
  /** Number of fitting nodes after which to stop. */
  readonly limit: number;
}

/** Tries the nodes at `positions` (undefined: all) and returns the positions of those that fit; why others do not goes into `rejected`. */
export function findFeasibleNodes(cycle: PodCycle, positions: Int32Array | undefined, search: NodeSearch, rejected: Map<string, Rejection>): Int32Array {
  const { snapshot, pod } = cycle;
  const filters = [...cycle.filters.values()];
  const count = positions ? positions.length : snapshot.nodes.length;
  const found = new Int32Array(Math.min(count, search.limit));
  let feasible = 0;
  for (let i = 0; i < count && feasible < search.limit; i++) {
    const index = (search.start + i) % count;
    const position = positions ? positions[index]! : index;
    const node = snapshot.nodes[position]!;
    const rejection = search.nominations.any ? testWithNominated(filters, node, position, search.nominations.competing(node.name, pod)) : runFilters(filters, node, position);
    if (rejection) rejected.set(node.name, rejection);
    else found[feasible++] = position;
  }
  return found.subarray(0, feasible);
}

function testWithNominated(filters: readonly NodeFilter[], node: NodeInfo, position: number, nominated: readonly PodInfo[]): Rejection | undefined {
  return nominated.length === 0 ? runFilters(filters, node, position) : new WhatIf(filters, node, position).test(nominated);
}

/** Sums the weighted scores of the plugins for the nodes at `nodes`. */
export function scoreNodes(cycle: PodCycle, nodes: Int32Array, observer: StageObserver): Float64Array {
  const { snapshot, pod, profile } = cycle;
  const totals = new Float64Array(nodes.length);
  const scores = new Float64Array(nodes.length);
  for (const { plugin, weight } of profile.scorers) {
    observer.plugin(plugin.name, 'Score', () => {
      const scorer = plugin.prepareScore(pod, snapshot, nodes, cycle);
      if (!scorer) return;
      for (let i = 0; i < nodes.length; i++) scores[i] = scorer.score(snapshot.nodes[nodes[i]!]!, nodes[i]!);
      scorer.normalize?.(scores, nodes);
      for (let i = 0; i < nodes.length; i++) totals[i]! += weight * scores[i]!;
    });
  }
  return totals;
}

/** One of the best nodes, any of them with the same chance. `nodes` must not be empty. */
export function pickBest(nodes: Int32Array, totals: Float64Array, random: Random): number {
  let best = -Infinity;
  let ties = 0;
  for (const total of totals) {
    if (total > best) {
      best = total;
      ties = 1;
    } else if (total === best) ties++;
  }
  let skip = ties > 1 ? Math.floor(random.float() * ties) : 0;
  for (let i = 0; i < totals.length; i++) if (totals[i] === best && skip-- === 0) return nodes[i]!;
  return nodes[0]!;
}

/** The diagnosis of a pod that one rejection keeps from all nodes. */
export function rejectedEverywhere(snapshot: Snapshot, rejection: Rejection): Diagnosis {
  return {
    nodeCount: snapshot.nodes.length,
    nodes: new Map(),
    absent: rejection,
    preFilterMessage: rejectionMessage(rejection),
    postFilterMessage: '',
    rejectors: new Set([rejection.plugin]),
  };
}
