import type { NodeInfo } from './node-info.js';

/** The domains of one topology: which nodes have the same value of a label. */
export class Topology {
  /** By position in the snapshot: the number of the node's domain, or -1 when it lacks the label. */
  readonly domains: Int32Array;
  /** Number of domains. */
  readonly size: number;

  constructor(nodes: readonly NodeInfo[], key: string) {
    const numbers = new Map<string, number>();
    this.domains = new Int32Array(nodes.length);
    for (let i = 0; i < nodes.length; i++) {
      const value = nodes[i]!.facts.labels[key];
      let domain = value === undefined ? -1 : numbers.get(value);
      if (domain === undefined) numbers.set(value!, (domain = numbers.size));
      this.domains[i] = domain;
    }
    this.size = numbers.size;
  }
}

/** Facts about all nodes of a snapshot, column by column; shared by snapshots between which no node object changed. */
export class NodeColumns {
  private readonly topologies = new Map<string, Topology>();
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

  /** The domains that a label makes. */
  topology(key: string): Topology {
    let topology = this.topologies.get(key);
    if (!topology) this.topologies.set(key, (topology = new Topology(this.nodes, key)));
    return topology;
  }
}
