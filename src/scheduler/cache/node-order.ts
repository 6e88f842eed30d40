import type { V1Node } from '../../api/generated/types.js';

/**
 * The order in which nodes are tried: one of each zone in turn, so that a search which stops early has seen all zones.
 */
export class NodeOrder {
  private readonly zones = new Map<string, Set<string>>();
  private readonly zoneOf = new Map<string, string>();

  /** Adds a node, or moves it when its zone changed. True when the order changed. */
  set(name: string, node: V1Node): boolean {
    const zone = zoneKey(node);
    if (this.zoneOf.get(name) === zone) return false;
    this.delete(name);
    this.zoneOf.set(name, zone);
    const members = this.zones.get(zone);
    if (members) members.add(name);
    else this.zones.set(zone, new Set([name]));
    return true;
  }

  delete(name: string): void {
    const zone = this.zoneOf.get(name);
    if (zone === undefined) return;
    this.zoneOf.delete(name);
    const members = this.zones.get(zone)!;
    members.delete(name);
    if (members.size === 0) this.zones.delete(zone);
  }

  names(): string[] {
    const columns = [...this.zones.values()].map((members) => [...members]);
    const result: string[] = [];
    for (let row = 0; result.length < this.zoneOf.size; row++) {
      for (const column of columns) if (row < column.length) result.push(column[row]!);
    }
    return result;
  }
}

function zoneKey(node: V1Node): string {
  const labels = node.metadata?.labels ?? {};
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  return zone === '' && region === '' ? '' : `${region}:${zone}`;
}
