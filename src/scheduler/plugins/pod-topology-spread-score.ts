import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import { MAX_NODE_SCORE, type NodeScorer } from '../framework/plugin.js';
import type { MatchingPods } from './matching-pods.js';
import { hasAllTopologies, HOSTNAME_LABEL, inclusionTest, type SpreadConstraint } from './pod-topology-spread-constraints.js';

/** What one constraint contributes to the score of the node at a position. */
type Contribution = (position: number) => number;

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
  const ignored = new Set<number>();
  if (requireAll) for (const position of candidates) if (!hasAllTopologies(snapshot.nodes[position]!.labels, constraints)) ignored.add(position);
  const contributions = constraints.map((constraint): Contribution => {
    const counts = matching.count(snapshot, pod.namespace, constraint.selector);
    const values = snapshot.columns.topology(constraint.topologyKey);
    const base = constraint.maxSkew - 1;
    if (constraint.topologyKey === HOSTNAME_LABEL) {
      const weight = domainWeight(candidates.length - ignored.size);
      return (position) => (values[position] === undefined ? 0 : counts[position]! * weight + base);
    }
    const domains = new Map<string | undefined, number>();
    for (const position of candidates) if (!ignored.has(position)) domains.set(values[position], 0);
    if (domains.size === 0 || (domains.size === 1 && domains.has(undefined))) return () => 0;
    const includes = inclusionTest(pod.pod, constraint);
    for (let i = 0; i < counts.length; i++) {
      const known = domains.get(values[i]);
      if (known === undefined || counts[i] === 0) continue;
      const { labels, node } = snapshot.nodes[i]!;
      if ((requireAll && !hasAllTopologies(labels, constraints)) || (includes && !includes(node))) continue;
      domains.set(values[i], known + counts[i]!);
    }
    const weight = domainWeight(domains.size);
    return (position) => (values[position] === undefined ? 0 : (domains.get(values[position]) ?? 0) * weight + base);
  });
  return {
    score: (_node, position) => {
      if (ignored.has(position)) return 0;
      let sum = 0;
      for (const contribution of contributions) sum += contribution(position);
      return Math.round(sum);
    },
    normalize: (scores, nodes) => normalize(scores, nodes, ignored),
  };
}

function domainWeight(domains: number): number {
  return Math.log(domains + 2);
}

function normalize(scores: Float64Array, nodes: Int32Array, ignored: ReadonlySet<number>): void {
  let least = Infinity;
  let most = 0;
  for (let i = 0; i < scores.length; i++) {
    if (ignored.has(nodes[i]!)) continue;
    least = Math.min(least, scores[i]!);
    most = Math.max(most, scores[i]!);
  }
  for (let i = 0; i < scores.length; i++) {
    if (ignored.has(nodes[i]!)) scores[i] = 0;
    else if (most === 0) scores[i] = MAX_NODE_SCORE;
    else scores[i] = Math.trunc((MAX_NODE_SCORE * (most + least - scores[i]!)) / most);
  }
}
