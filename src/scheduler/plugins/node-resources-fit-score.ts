import { MAX_NODE_SCORE, type ScorePlugin } from '../framework/plugin.js';
import type { NodeResourcesFitArgs, UtilizationShapePoint } from '../options.js';
import { counts, DEFAULT_SCORED_RESOURCES, isCpuAndMemory, podShare, resourceReaders } from './resource-scoring.js';

/** Score of one resource, 0 to 100, for what would be in use and what there is. */
type ResourceScore = (used: number, capacity: number) => number;

/** Configuration gives scores of a curve as 0 to 10. */
const SHAPE_SCORE_FACTOR = MAX_NODE_SCORE / 10;

/** The scoring half of NodeResourcesFit: a weighted mean over resources of how empty, how full or how near to a curve the node would be. */
export function fitScorer(strategy: NodeResourcesFitArgs['scoringStrategy']): ScorePlugin['prepareScore'] {
  const type = strategy?.type ?? 'LeastAllocated';
  const resources = strategy?.resources && strategy.resources.length > 0 ? strategy.resources : DEFAULT_SCORED_RESOURCES;
  if (type === 'LeastAllocated' && isCpuAndMemory(resources)) return leastCpuAndMemory;
  const readers = resourceReaders(resources, true);
  const score = type === 'MostAllocated' ? mostAllocated : type === 'LeastAllocated' ? leastAllocated : curve(strategy?.requestedToCapacityRatio?.shape ?? []);
  const skipZero = type === 'RequestedToCapacityRatio';
  return (pod) => {
    const share = podShare(pod, readers, true);
    return {
      score: (node) => {
        let sum = 0;
        let weights = 0;
        for (let i = 0; i < readers.length; i++) {
          const reader = readers[i]!;
          const added = share[i]!;
          const capacity = reader.capacity(node);
          if (capacity === 0 || !counts(reader, added)) continue;
          const one = score(reader.used(node) + added, capacity);
          if (skipZero && one <= 0) continue;
          sum += one * reader.weight;
          weights += reader.weight;
        }
        if (weights === 0) return 0;
        return skipZero ? Math.round(sum / weights) : Math.trunc(sum / weights);
      },
    };
  };
}

const leastAllocated: ResourceScore = (used, capacity) => (used > capacity ? 0 : Math.trunc(((capacity - used) * MAX_NODE_SCORE) / capacity));

/** The default strategy without its generality: it runs for every candidate of every pod. */
const leastCpuAndMemory: ScorePlugin['prepareScore'] = ({ nonZeroMilliCpu, nonZeroMemory }) => ({
  score: (node) => {
    const { milliCpu, memory } = node.facts.allocatable;
    const cpuScore = milliCpu === 0 ? 0 : leastAllocated(node.nonZeroMilliCpu + nonZeroMilliCpu, milliCpu);
    const memoryScore = memory === 0 ? 0 : leastAllocated(node.nonZeroMemory + nonZeroMemory, memory);
    const counted = (milliCpu === 0 ? 0 : 1) + (memory === 0 ? 0 : 1);
    return counted === 0 ? 0 : Math.trunc((cpuScore + memoryScore) / counted);
  },
});

const mostAllocated: ResourceScore = (used, capacity) => Math.trunc((Math.min(used, capacity) * MAX_NODE_SCORE) / capacity);

/** A broken line over utilisation in percent; flat beyond its ends. */
function curve(shape: readonly UtilizationShapePoint[]): ResourceScore {
  const points = shape.map(({ utilization, score }) => ({ x: utilization, y: score * SHAPE_SCORE_FACTOR }));
  const at = (x: number): number => {
    const next = points.findIndex((point) => x <= point.x);
    if (next < 0) return points.at(-1)?.y ?? 0;
    if (next === 0) return points[0]!.y;
    const from = points[next - 1]!;
    const to = points[next]!;
    return from.y + Math.trunc(((to.y - from.y) * (x - from.x)) / (to.x - from.x));
  };
  return (used, capacity) => at(used > capacity ? 100 : Math.trunc((used * 100) / capacity));
}
