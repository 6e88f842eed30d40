import type { Labels } from '../../api/selectors/label-requirement.js';
import { termMatches, type AffinityTerm, type WeightedAffinityTerm } from '../cache/affinity-term.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { MAX_NODE_SCORE, type ScorePlugin } from '../framework/plugin.js';
import type { InterPodAffinityArgs } from '../options.js';
import { TopologyCounts } from './topology-counts.js';

/** The scoring half of InterPodAffinity: preferred terms of the pod, and preferred and required ones of the pods that are there towards it. */
export function affinityScorer(
  args: InterPodAffinityArgs,
  labelsOf: (namespace: string) => Labels,
  resolve: (terms: readonly WeightedAffinityTerm[]) => readonly WeightedAffinityTerm[],
): ScorePlugin['prepareScore'] {
  const hardWeight = args.hardPodAffinityWeight ?? 1;
  return (pod, snapshot) => {
    const hasPreferences = pod.preferredAffinity.length > 0 || pod.preferredAntiAffinity.length > 0;
    if (!hasPreferences && (args.ignorePreferredTermsOfExistingPods || snapshot.withAffinityPods.length === 0)) return undefined;
    const namespaceLabels = labelsOf(pod.namespace);
    const liked = resolve(pod.preferredAffinity);
    const disliked = resolve(pod.preferredAntiAffinity);
    const scores = new TopologyCounts();
    const add = (term: AffinityTerm, weight: number, target: PodInfo, labels: Labels, node: NodeInfo): void => {
      if (termMatches(term, target, labels)) scores.add(node.labels, term.topologyKey, weight);
    };
    const visit = (other: PodInfo, node: NodeInfo): void => {
      for (const term of liked) add(term, term.weight, other, undefined, node);
      for (const term of disliked) add(term, -term.weight, other, undefined, node);
      if (!other.hasAffinity) return;
      if (hardWeight > 0) for (const term of other.requiredAffinity) add(term, hardWeight, pod, namespaceLabels, node);
      for (const term of other.preferredAffinity) add(term, term.weight, pod, namespaceLabels, node);
      for (const term of other.preferredAntiAffinity) add(term, -term.weight, pod, namespaceLabels, node);
    };
    if (hasPreferences) {
      for (const node of snapshot.nodes) for (const other of node.pods) visit(other, node);
    } else {
      for (const position of snapshot.withAffinityPods) {
        const node = snapshot.nodes[position]!;
        for (const other of node.podsWithAffinity) visit(other, node);
      }
    }
    if (scores.untouched) return undefined;
    return { score: ({ labels }) => scores.sumAt(labels), normalize: spreadToRange };
  };
}

/** Least becomes 0 and most becomes 100. */
function spreadToRange(scores: Float64Array): void {
  let least = Infinity;
  let most = -Infinity;
  for (const score of scores) {
    if (score < least) least = score;
    if (score > most) most = score;
  }
  const range = most - least;
  for (let i = 0; i < scores.length; i++) scores[i] = range > 0 ? Math.trunc(MAX_NODE_SCORE * ((scores[i]! - least) / range)) : 0;
}
