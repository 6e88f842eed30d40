import type { NodeInfo } from '../cache/node-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import type { PodSelector } from '../framework/pod-selector.js';

interface Table {
  readonly nodes: NodeInfo[];
  counts: Int32Array;
}

/**
 * Counts the pods that match a selector on every node. Counts are kept from one snapshot to the next for nodes that did not change, so that a
 * Deployment's pods do not cost a scan of all pods each. A memo only: the result depends on the snapshot alone.
 */
export class MatchingPods {
  private readonly tables = new Map<string, Table>();

  /** `capacity` is the number of selectors to remember. */
  constructor(private readonly capacity = 32) {}

  /** Number of pods by position in the snapshot. The array holds until the next snapshot is counted. An empty selector counts nothing. */
  count(snapshot: Snapshot, namespace: string, selector: PodSelector): Int32Array {
    const key = `${namespace}\n${selector.key}`;
    let table = this.tables.get(key);
    if (table) this.tables.delete(key);
    else table = { nodes: [], counts: new Int32Array(0) };
    this.tables.set(key, table);
    if (this.tables.size > this.capacity) this.tables.delete(this.tables.keys().next().value!);
    const { nodes } = snapshot;
    if (table.counts.length !== nodes.length) {
      const counts = new Int32Array(nodes.length);
      counts.set(table.counts.subarray(0, nodes.length));
      table.counts = counts;
      table.nodes.length = Math.min(table.nodes.length, nodes.length);
    }
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!;
      if (table.nodes[i] === node) continue;
      table.nodes[i] = node;
      table.counts[i] = countMatching(node, namespace, selector);
    }
    return table.counts;
  }
}

/** Pods of the namespace on the node that match and are not being deleted. */
export function countMatching(node: NodeInfo, namespace: string, selector: PodSelector): number {
  if (selector.empty) return 0;
  let count = 0;
  for (const pod of node.pods) if (pod.namespace === namespace && !pod.terminating && selector.matches(pod.labels)) count++;
  return count;
}
