import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import { MAX_NODE_SCORE, type NodeScorer } from '../framework/plugin.js';
import type { MatchingPods } from './matching-pods.js';
import { countSpread, HOSTNAME_LABEL, inclusionTest, positionsWithAllTopologies, type SpreadConstraint } from './pod-topology-spread-constraints.js';

/**
 * The scorer for soft constraints; undefined when there are none. Fewer matching pods in a node's domains are better; domains weigh
 * less the more there are. With `requireAll`, nodes that lack one of the topology labels get nothing.
 */
export function spreadScorer(
  pod: PodInfo,
  snapshot: Snapshot,
  candidates: Int32Array,
  constraints: readonly SpreadConstraint[],
  requireAll: boolean,
  matching: MatchingPods,
): NodeScorer | undefined {
  if (constraints.length === 0) return undefined;
  const complete = requireAll ? positionsWithAllTopologies(snapshot, constraints) : undefined;
  const sums = new Float64Array(snapshot.nodes.length);
  for (const constraint of constraints) addContribution(sums, pod, snapshot, candidates, constraint, complete, matching);
  return {
    score: (_node, position) => (complete && !complete[position] ? 0 : Math.round(sums[position]!)),
    normalize: (scores, nodes) => normalize(scores, nodes, complete),
  };
}

/** Adds what one constraint says of each candidate to `sums`. */
function addContribution(
  sums: Float64Array,
  pod: PodInfo,
  snapshot: Snapshot,
  candidates: Int32Array,
  constraint: SpreadConstraint,
  complete: Uint8Array | undefined,
  matching: MatchingPods,
): void {
  const { domains, size } = snapshot.columns.topology(constraint.topologyKey);
  const base = constraint.maxSkew - 1;
  if (constraint.topologyKey === HOSTNAME_LABEL) {
    const counts = countSpread(matching, snapshot, pod.namespace, constraint.selector);
    const considered = complete ? candidates.filter((position) => complete[position]).length : candidates.length;
    const weight = domainWeight(considered);
    for (const position of candidates) if (domains[position]! >= 0) sums[position]! += counts[position]! * weight + base;
    return;
  }
  // Only domains with a candidate count; nodes without the label make up one more.
  const known = new Uint8Array(size + 1);
  let number = 0;
  for (const position of candidates) {
    const slot = domains[position]! + 1;
    if ((complete && !complete[position]) || known[slot]) continue;
    known[slot] = 1;
    number++;
  }
  if (size === 0) return;
  const counts = countSpread(matching, snapshot, pod.namespace, constraint.selector);
  const includes = inclusionTest(pod.pod, constraint);
  const totals = new Float64Array(size + 1);
  for (let i = 0; i < counts.length; i++) {
    const slot = domains[i]! + 1;
    if (counts[i] === 0 || !known[slot] || (complete && !complete[i]) || (includes && !includes(snapshot.nodes[i]!.node))) continue;
    totals[slot]! += counts[i]!;
  }
  const weight = domainWeight(number);
  for (const position of candidates) if (domains[position]! >= 0) sums[position]! += totals[domains[position]! + 1]! * weight + base;
}

function domainWeight(domains: number): number {
  return Math.log(domains + 2);
}

function normalize(scores: Float64Array, nodes: Int32Array, complete: Uint8Array | undefined): void {
  let least = Infinity;
  let most = 0;
  for (let i = 0; i < scores.length; i++) {
    if (complete && !complete[nodes[i]!]) continue;
    if (scores[i]! < least) least = scores[i]!;
    if (scores[i]! > most) most = scores[i]!;
  }
  for (let i = 0; i < scores.length; i++) {
    if (complete && !complete[nodes[i]!]) scores[i] = 0;
    else if (most === 0) scores[i] = MAX_NODE_SCORE;
    else scores[i] = Math.trunc((MAX_NODE_SCORE * (most + least - scores[i]!)) / most);
  }
}
