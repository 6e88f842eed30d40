import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';

interface Table {
  readonly nodes: NodeInfo[];
  counts: Int32Array;
  snapshot: Snapshot | undefined;
}

/**
 * Counts the pods that match on every node. Counts are kept from one snapshot to the next for nodes that did not change, so that the pods of
 * one template do not cost a scan of all pods each. A memo only: the result depends on the snapshot alone.
 */
export class MatchingPods {
  private readonly tables = new Map<string, Table>();

  /** `capacity` is the number of questions to remember. */
  constructor(private readonly capacity = 64) {}

  /** Number of pods by position in the snapshot. `key` names the question that `test` asks. The array holds until the next snapshot is counted. */
  count(snapshot: Snapshot, key: string, test: (pod: PodInfo) => boolean): Int32Array {
    let table = this.tables.get(key);
    if (table) this.tables.delete(key);
    else table = { nodes: [], counts: new Int32Array(0), snapshot: undefined };
    this.tables.set(key, table);
    if (this.tables.size > this.capacity) this.tables.delete(this.tables.keys().next().value!);
    if (table.snapshot === snapshot) return table.counts;
    table.snapshot = snapshot;
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
      let count = 0;
      for (const pod of node.pods) if (test(pod)) count++;
      table.counts[i] = count;
    }
    return table.counts;
  }
}
