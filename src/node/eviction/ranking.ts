import type { V1Pod } from '../../api/generated/types.js';
import { requestOf, type PodUsage } from './pod-usage.js';
import type { StarvedResource } from './signals.js';

/** What a pod uses of a resource; undefined: unknown. */
function used(usage: PodUsage | undefined, resource: StarvedResource): number | undefined {
  switch (resource) {
    case 'memory':
      return usage?.memoryBytes;
    case 'ephemeral-storage':
      return usage?.ephemeralBytes;
    case 'inodes':
      return usage?.inodes;
    case 'pids':
      return usage?.processes;
  }
}

/**
 * The order in which pods are evicted: first those that use more than they requested (and those of which nothing is known), then by
 * priority, lowest first, then by how much they are above their request. Process numbers cannot be requested: only priority and use count.
 */
export function rankForEviction(pods: readonly V1Pod[], usageOf: (pod: V1Pod) => PodUsage | undefined, resource: StarvedResource): readonly V1Pod[] {
  const ranked = pods.map((pod) => {
    const amount = used(usageOf(pod), resource);
    const request = resource === 'memory' || resource === 'ephemeral-storage' ? requestOf(pod, resource) : 0;
    return {
      pod,
      exceeds: resource === 'pids' ? 0 : amount === undefined || amount > request ? 0 : 1,
      priority: pod.spec?.priority ?? 0,
      above: amount === undefined ? Infinity : amount - request,
    };
  });
  ranked.sort((a, b) => a.exceeds - b.exceeds || a.priority - b.priority || (a.above === b.above ? 0 : b.above - a.above));
  return ranked.map(({ pod }) => pod);
}
