import { termMatches } from '../cache/affinity-term.js';
import { MAX_NODE_SCORE, type ScorePlugin } from '../framework/plugin.js';
import type { InterPodAffinityArgs } from '../options.js';
import type { ExistingTerm } from './existing-terms.js';
import type { AffinityContext } from './inter-pod-affinity.js';
import { TopologyCounts } from './topology-counts.js';

/** The scoring half of InterPodAffinity: preferred terms of the pod, and preferred and required ones of the pods that are there towards it. */
export function affinityScorer(args: InterPodAffinityArgs, context: AffinityContext): ScorePlugin['prepareScore'] {
  const factors: Readonly<Record<ExistingTerm['kind'], number>> = {
    requiredAffinity: args.hardPodAffinityWeight ?? 1,
    requiredAntiAffinity: 0,
    preferredAffinity: 1,
    preferredAntiAffinity: -1,
  };
  return (pod, snapshot) => {
    const hasPreferences = pod.preferredAffinity.length > 0 || pod.preferredAntiAffinity.length > 0;
    if (!hasPreferences && (args.ignorePreferredTermsOfExistingPods || !snapshot.anyAffinity)) return undefined;
    const scores = new TopologyCounts(snapshot.columns);
    const own = [
      ...context.resolve(pod.preferredAffinity).map((term) => ({ term, factor: term.weight })),
      ...context.resolve(pod.preferredAntiAffinity).map((term) => ({ term, factor: -term.weight })),
    ];
    for (const { term, factor } of own) {
      scores.addAll(term.topologyKey, context.matching.count(snapshot, term.key, (other) => termMatches(term, other, undefined)), factor);
    }
    if (snapshot.anyAffinity) {
      const namespaceLabels = context.labelsOf(pod.namespace);
      for (const { kind, term, weight, counts } of context.existing.of(snapshot)) {
        const factor = factors[kind] * weight;
        if (factor !== 0 && termMatches(term, pod, namespaceLabels)) scores.addAll(term.topologyKey, counts, factor);
      }
    }
    if (scores.untouched) return undefined;
    return { score: (_node, position) => scores.sumAt(position), normalize: spreadToRange };
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
