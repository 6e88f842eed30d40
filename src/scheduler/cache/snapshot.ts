import { NodeColumns } from './node-columns.js';
import type { NodeInfo } from './node-info.js';

/** The state of all nodes at one moment; what a scheduling attempt works on. Immutable. */
export class Snapshot {
  constructor(
    /** In the order in which nodes are tried. */
    readonly nodes: readonly NodeInfo[],
    private readonly positions: ReadonlyMap<string, number>,
    readonly columns: NodeColumns,
    /** Some pod on some node has inter-pod affinity or anti-affinity. */
    readonly anyAffinity: boolean,
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
}
