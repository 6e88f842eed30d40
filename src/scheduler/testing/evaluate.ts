import type { V1Node, V1Pod } from '../../api/generated/types.js';
import { PodInfo } from '../cache/pod-info.js';
import type { FilterPlugin, ScorePlugin } from '../framework/plugin.js';
import type { PodCycle } from '../framework/pod-cycle.js';
import { makeSnapshot } from './objects.js';

/** What a plugin says of a pod, by node: `ok`, or the reasons; or one text for all nodes. */
export function filterResults(plugin: FilterPlugin, pod: V1Pod, nodes: readonly V1Node[], pods: readonly V1Pod[] = []): Record<string, string> | string {
  const snapshot = makeSnapshot(nodes, pods);
  const filter = plugin.prepareFilter(new PodInfo(pod), snapshot);
  if (filter && 'code' in filter) return filter.reasons.join(', ');
  const results: Record<string, string> = {};
  snapshot.nodes.forEach((node, position) => {
    results[node.name] = filter?.filter(node, position)?.reasons.join(', ') ?? 'ok';
  });
  return results;
}

/** Normalised scores by node; undefined when the plugin has nothing to say. */
export function scoreResults(plugin: ScorePlugin, pod: V1Pod, nodes: readonly V1Node[], pods: readonly V1Pod[] = []): Record<string, number> | undefined {
  const snapshot = makeSnapshot(nodes, pods);
  const positions = Int32Array.from(snapshot.nodes.keys());
  const scorer = plugin.prepareScore(new PodInfo(pod), snapshot, positions, {} as PodCycle);
  if (!scorer) return undefined;
  const scores = Float64Array.from(snapshot.nodes, (node, position) => scorer.score(node, position));
  scorer.normalize?.(scores, positions);
  return Object.fromEntries(snapshot.nodes.map((node, position) => [node.name, scores[position]!]));
}

/** Whether an event makes a pod worth another try, for the plugin's interests that match by resource. */
export function hintSays(plugin: FilterPlugin, resource: string, pod: V1Pod, before: object | undefined, after: object | undefined): boolean {
  return (plugin.interests ?? []).filter((one) => one.resource === resource).some((one) => one.hint?.(pod, before, after) ?? true);
}
