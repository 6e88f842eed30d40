import type { NodeColumns, Topology } from '../cache/node-columns.js';

interface Column {
  readonly topology: Topology;
  readonly counts: Float64Array;
}

/** Counts by topology domain, for the nodes of one snapshot. Nodes are given by position. */
export class TopologyCounts {
  private readonly columns = new Map<string, Column>();
  private sum = 0;

  constructor(private readonly nodes: NodeColumns) {}

  /** All counts are zero (they must not be negative for this). */
  get empty(): boolean {
    return this.sum === 0;
  }

  /** True when nothing was ever added. */
  get untouched(): boolean {
    return this.columns.size === 0;
  }

  /** Adds to the domain that a node is in; nothing when it lacks the label. */
  add(topologyKey: string, position: number, amount: number): void {
    const { topology, counts } = this.column(topologyKey);
    const domain = topology.domains[position]!;
    if (domain < 0) return;
    counts[domain]! += amount;
    this.sum += amount;
  }

  /** Adds `factor` times a number for every node. */
  addAll(topologyKey: string, numbers: Int32Array, factor: number): void {
    const { topology, counts } = this.column(topologyKey);
    const { domains } = topology;
    for (let i = 0; i < numbers.length; i++) {
      const amount = numbers[i]!;
      const domain = domains[i]!;
      if (amount === 0 || domain < 0) continue;
      counts[domain]! += amount * factor;
      this.sum += amount * factor;
    }
  }

  /** The count of the domain that a node is in; undefined when it lacks the label. */
  get(topologyKey: string, position: number): number | undefined {
    const column = this.columns.get(topologyKey);
    const domain = (column?.topology ?? this.nodes.topology(topologyKey)).domains[position]!;
    return domain < 0 ? undefined : (column?.counts[domain] ?? 0);
  }

  /** Whether the count is above zero in any domain that a node is in. */
  anyAt(position: number): boolean {
    for (const { topology, counts } of this.columns.values()) {
      const domain = topology.domains[position]!;
      if (domain >= 0 && counts[domain]! > 0) return true;
    }
    return false;
  }

  /** The sum over all domains that a node is in. */
  sumAt(position: number): number {
    let sum = 0;
    for (const { topology, counts } of this.columns.values()) {
      const domain = topology.domains[position]!;
      if (domain >= 0) sum += counts[domain]!;
    }
    return sum;
  }

  /** A copy that may be changed. */
  fork(): TopologyCounts {
    const copy = new TopologyCounts(this.nodes);
    for (const [key, { topology, counts }] of this.columns) copy.columns.set(key, { topology, counts: counts.slice() });
    copy.sum = this.sum;
    return copy;
  }

  private column(topologyKey: string): Column {
    let column = this.columns.get(topologyKey);
    if (!column) {
      const topology = this.nodes.topology(topologyKey);
      this.columns.set(topologyKey, (column = { topology, counts: new Float64Array(topology.size) }));
    }
    return column;
  }
}
