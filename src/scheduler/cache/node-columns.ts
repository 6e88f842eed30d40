import type { NodeInfo } from './node-info.js';

/** Facts about all nodes of a snapshot, column by column; shared by snapshots between which no node object changed. */
export class NodeColumns {
  private readonly topologies = new Map<string, readonly (string | undefined)[]>();
  /** Some node has `spec.unschedulable`. */
  readonly anyUnschedulable: boolean;
  /** Some node has a taint with effect `NoSchedule` or `NoExecute`. */
  readonly anyBlockingTaint: boolean;
  /** Some node has a taint with effect `PreferNoSchedule`. */
  readonly anySoftTaint: boolean;

  constructor(
    private readonly nodes: readonly NodeInfo[],
    /** Number of nodes that have the image, by every name of it. */
    readonly imageNodes: ReadonlyMap<string, number>,
  ) {
    this.anyUnschedulable = nodes.some((one) => one.facts.unschedulable);
    this.anyBlockingTaint = nodes.some((one) => one.facts.blockingTaints.length > 0);
    this.anySoftTaint = nodes.some((one) => one.facts.softTaints.length > 0);
  }

  /** The value of a label of every node, in the snapshot's order. */
  topology(key: string): readonly (string | undefined)[] {
    let values = this.topologies.get(key);
    if (!values) this.topologies.set(key, (values = this.nodes.map((one) => one.facts.labels[key])));
    return values;
  }
}
