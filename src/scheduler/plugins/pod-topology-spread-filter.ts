import type { V1Node } from '../../api/generated/types.js';
import type { Topology } from '../cache/node-columns.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import type { ForkedFilter, NodeFilter } from '../framework/plugin.js';
import { unresolvable, unschedulable, type Rejection } from '../framework/rejection.js';
import type { MatchingPods } from './matching-pods.js';
import { countSpread, inclusionTest, positionsWithAllTopologies, type SpreadConstraint } from './pod-topology-spread-constraints.js';

export const SPREAD_NAME = 'PodTopologySpread';
const SKEWED = unschedulable(SPREAD_NAME, "node(s) didn't match pod topology spread constraints");
const NO_LABEL = unresolvable(SPREAD_NAME, "node(s) didn't match pod topology spread constraints (missing required label)");

/** Marks a domain without any node that counts. */
const NOT_A_DOMAIN = -1;

/** One constraint with the matching pods of every domain. */
interface Spread {
  readonly constraint: SpreadConstraint;
  readonly includes: ((node: V1Node) => boolean) | undefined;
  /** The pod itself matches: it counts where it goes. */
  readonly self: 0 | 1;
  readonly topology: Topology;
  /** By domain; {@link NOT_A_DOMAIN} where no node counts. */
  readonly domains: Int32Array;
}

/** The filter for hard constraints; undefined when there are none. */
export function spreadFilter(pod: PodInfo, snapshot: Snapshot, constraints: readonly SpreadConstraint[], matching: MatchingPods): NodeFilter | undefined {
  if (constraints.length === 0) return undefined;
  const complete = positionsWithAllTopologies(snapshot, constraints);
  const spreads = constraints.map((constraint): Spread => {
    const includes = inclusionTest(pod.pod, constraint);
    const topology = snapshot.columns.topology(constraint.topologyKey);
    const domains = new Int32Array(topology.size).fill(NOT_A_DOMAIN);
    const counts = countSpread(matching, snapshot, pod.namespace, constraint.selector);
    for (let i = 0; i < counts.length; i++) {
      if (!complete[i] || (includes && !includes(snapshot.nodes[i]!.node))) continue;
      const domain = topology.domains[i]!;
      domains[domain] = Math.max(0, domains[domain]!) + counts[i]!;
    }
    return { constraint, includes, self: constraint.selector.matches(pod.labels) ? 1 : 0, topology, domains };
  });
  return new SpreadFilter(pod.namespace, complete, spreads);
}

class SpreadFilter implements ForkedFilter {
  private readonly least: (number | undefined)[];

  constructor(
    private readonly namespace: string,
    private readonly complete: Uint8Array,
    private readonly spreads: readonly Spread[],
  ) {
    this.least = spreads.map(() => undefined);
  }

  filter(_node: NodeInfo, position: number): Rejection | undefined {
    for (let i = 0; i < this.spreads.length; i++) {
      const { constraint, self, topology, domains } = this.spreads[i]!;
      const domain = topology.domains[position]!;
      if (domain < 0) return NO_LABEL;
      if (Math.max(0, domains[domain]!) + self - this.leastCount(i) > constraint.maxSkew) return SKEWED;
    }
    return undefined;
  }

  fork(): ForkedFilter {
    return new SpreadFilter(
      this.namespace,
      this.complete,
      this.spreads.map((one) => ({ ...one, domains: one.domains.slice() })),
    );
  }

  change(other: PodInfo, { node }: NodeInfo, position: number, sign: 1 | -1): void {
    if (other.namespace !== this.namespace || !this.complete[position]) return;
    this.spreads.forEach(({ constraint, includes, topology, domains }, i) => {
      if (!constraint.selector.matches(other.labels) || (includes && !includes(node))) return;
      domains[topology.domains[position]!]! += sign;
      this.least[i] = undefined;
    });
  }

  /** Pods in the least occupied domain; none while there are too few domains. */
  private leastCount(i: number): number {
    let least = this.least[i];
    if (least !== undefined) return least;
    const { constraint, domains } = this.spreads[i]!;
    least = Infinity;
    let number = 0;
    for (const count of domains) {
      if (count === NOT_A_DOMAIN) continue;
      number++;
      if (count < least) least = count;
    }
    if (number < constraint.minDomains) least = 0;
    return (this.least[i] = least);
  }
}
