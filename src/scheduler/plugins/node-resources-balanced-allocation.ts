import { MAX_NODE_SCORE, type ScorePlugin } from '../framework/plugin.js';
import type { NodeResourcesBalancedAllocationArgs } from '../options.js';
import { counts, DEFAULT_SCORED_RESOURCES, isCpuAndMemory, podShare, resourceReaders } from './resource-scoring.js';

const NAME = 'NodeResourcesBalancedAllocation';

/** Prefers nodes whose resources the pod brings nearer to equal utilisation. */
export function nodeResourcesBalancedAllocationPlugin({ resources }: NodeResourcesBalancedAllocationArgs): ScorePlugin {
  const scored = resources && resources.length > 0 ? resources : DEFAULT_SCORED_RESOURCES;
  if (isCpuAndMemory(scored)) return { name: NAME, prepareScore: cpuAndMemory };
  const readers = resourceReaders(scored, false);
  return {
    name: NAME,
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
          return improvement(balance(withPod), balance(without));
        },
      };
    },
  };
}

/** The default resources without the generality: it runs for every candidate of every pod. */
const cpuAndMemory: ScorePlugin['prepareScore'] = ({ requested }) => {
  const { milliCpu, memory } = requested;
  if (milliCpu === 0 && memory === 0) return undefined;
  return {
    score: (node) => {
      const { allocatable } = node.facts;
      if (allocatable.milliCpu === 0 || allocatable.memory === 0) return improvement(MAX_NODE_SCORE, MAX_NODE_SCORE);
      const cpuUsed = node.requested.milliCpu;
      const memoryUsed = node.requested.memory;
      const withPod = evenness((cpuUsed + milliCpu) / allocatable.milliCpu, (memoryUsed + memory) / allocatable.memory);
      return improvement(withPod, evenness(cpuUsed / allocatable.milliCpu, memoryUsed / allocatable.memory));
    },
  };
};

function evenness(a: number, b: number): number {
  const difference = (a > 1 ? 1 : a) - (b > 1 ? 1 : b);
  return Math.trunc((1 - Math.abs(difference / 2)) * MAX_NODE_SCORE);
}

/** 75 when the pod changes nothing, more when it makes utilisation more equal. */
function improvement(withPod: number, without: number): number {
  const half = MAX_NODE_SCORE / 2;
  return half + Math.trunc((half + withPod - without) / 2);
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
