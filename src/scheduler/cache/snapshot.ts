import { NodeColumns } from './node-columns.js';
import type { NodeInfo } from './node-info.js';

/** The state of all nodes at one moment; what a scheduling attempt works on. Immutable. */
export class Snapshot {
  private affinityMemo: readonly number[] | undefined;
  private antiAffinityMemo: readonly number[] | undefined;

  constructor(
    /** In the order in which nodes are tried. */
    readonly nodes: readonly NodeInfo[],
    private readonly positions: ReadonlyMap<string, number>,
    readonly columns: NodeColumns,
    /** Some pod has inter-pod affinity or anti-affinity. */
    private readonly anyAffinity: boolean,
  ) {}

  static readonly empty = new Snapshot([], new Map(), new NodeColumns([], new Map()), false);

  /** Position of a node in {@link nodes}; undefined when there is no such node. */
  position(name: string): number | undefined {
    return this.positions.get(name);
  }

  get(name: string): NodeInfo | undefined {
    const position = this.positions.get(name);
    return position === undefined ? undefined : this.nodes[position];
  }

  /** Positions of the nodes with pods that have any inter-pod affinity or anti-affinity. */
  get withAffinityPods(): readonly number[] {
    return (this.affinityMemo ??= this.anyAffinity ? this.positionsWhere((one) => one.podsWithAffinity.length > 0) : []);
  }

  /** Positions of the nodes with pods that have required anti-affinity. */
  get withRequiredAntiAffinityPods(): readonly number[] {
    return (this.antiAffinityMemo ??= this.anyAffinity ? this.positionsWhere((one) => one.podsWithRequiredAntiAffinity.length > 0) : []);
  }

  private positionsWhere(test: (node: NodeInfo) => boolean): number[] {
    const result: number[] = [];
    for (let i = 0; i < this.nodes.length; i++) if (test(this.nodes[i]!)) result.push(i);
    return result;
  }
}
