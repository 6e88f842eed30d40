import { MAX_NODE_SCORE, type ScorePlugin } from '../framework/plugin.js';
import type { NodeResourcesBalancedAllocationArgs } from '../options.js';
import { counts, DEFAULT_SCORED_RESOURCES, podShare, resourceReaders } from './resource-scoring.js';

/** Prefers nodes whose resources the pod brings nearer to equal utilisation. */
export function nodeResourcesBalancedAllocationPlugin({ resources }: NodeResourcesBalancedAllocationArgs): ScorePlugin {
  const readers = resourceReaders(resources && resources.length > 0 ? resources : DEFAULT_SCORED_RESOURCES, false);
  return {
    name: 'NodeResourcesBalancedAllocation',
    prepareScore: (pod) => {
      const share = podShare(pod, readers, false);
      if (share.every((amount) => amount === 0)) return undefined;
      const counted = readers.map((reader, i) => ({ reader, share: share[i]! })).filter((one) => counts(one.reader, one.share));
      const withPod: number[] = [];
      const without: number[] = [];
      return {
        score: (node) => {
          withPod.length = 0;
          without.length = 0;
          for (let i = 0; i < counted.length; i++) {
            const { reader, share: added } = counted[i]!;
            const capacity = reader.capacity(node);
            if (capacity === 0) continue;
            const used = reader.used(node);
            withPod.push(Math.min(1, (used + added) / capacity));
            without.push(Math.min(1, used / capacity));
          }
          const half = MAX_NODE_SCORE / 2;
          return half + Math.trunc((half + balance(withPod) - balance(without)) / 2);
        },
      };
    },
  };
}

/** 100 for equal fractions, less by their standard deviation. */
function balance(fractions: readonly number[]): number {
  let deviation = 0;
  if (fractions.length === 2) deviation = Math.abs((fractions[0]! - fractions[1]!) / 2);
  else if (fractions.length > 2) {
    const mean = fractions.reduce((sum, one) => sum + one, 0) / fractions.length;
    deviation = Math.sqrt(fractions.reduce((sum, one) => sum + (one - mean) ** 2, 0) / fractions.length);
  }
  return Math.trunc((1 - deviation) * MAX_NODE_SCORE);
}
