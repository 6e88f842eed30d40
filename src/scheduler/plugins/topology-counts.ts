/** Counts by topology domain (label key and value). A fork sees its parent's counts and keeps its own changes to itself. */
export class TopologyCounts {
  private readonly counts = new Map<string, Map<string, number>>();
  private sum = 0;

  constructor(private readonly parent?: TopologyCounts) {}

  /** All counts are zero. */
  get empty(): boolean {
    return this.total() === 0;
  }

  /** Adds to the domain that a node with these labels is in; nothing when it has no such label. */
  add(labels: Readonly<Record<string, string>>, topologyKey: string, amount: number): void {
    const value = labels[topologyKey];
    if (value === undefined) return;
    let byValue = this.counts.get(topologyKey);
    if (!byValue) this.counts.set(topologyKey, (byValue = new Map()));
    byValue.set(value, (byValue.get(value) ?? 0) + amount);
    this.sum += amount;
  }

  get(topologyKey: string, value: string): number {
    return (this.counts.get(topologyKey)?.get(value) ?? 0) + (this.parent?.get(topologyKey, value) ?? 0);
  }

  /** Whether the count is above zero in any domain of a node with these labels. */
  anyAt(labels: Readonly<Record<string, string>>): boolean {
    for (const key of this.keys()) {
      const value = labels[key];
      if (value !== undefined && this.get(key, value) > 0) return true;
    }
    return false;
  }

  /** The sum over the domains of a node with these labels. */
  sumAt(labels: Readonly<Record<string, string>>): number {
    let sum = 0;
    for (const [key, byValue] of this.counts) {
      const value = labels[key];
      if (value !== undefined) sum += byValue.get(value) ?? 0;
    }
    return sum;
  }

  /** True when nothing was ever added. */
  get untouched(): boolean {
    return this.counts.size === 0;
  }

  fork(): TopologyCounts {
    return new TopologyCounts(this);
  }

  private total(): number {
    return this.sum + (this.parent?.total() ?? 0);
  }

  private keys(): Iterable<string> {
    return this.parent ? new Set([...this.parent.keys(), ...this.counts.keys()]) : this.counts.keys();
  }
}
