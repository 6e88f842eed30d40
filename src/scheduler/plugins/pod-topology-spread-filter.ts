import type { V1Node } from '../../api/generated/types.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import type { ForkedFilter, NodeFilter } from '../framework/plugin.js';
import { unresolvable, unschedulable, type Rejection } from '../framework/rejection.js';
import type { MatchingPods } from './matching-pods.js';
import { hasAllTopologies, inclusionTest, type SpreadConstraint } from './pod-topology-spread-constraints.js';

export const SPREAD_NAME = 'PodTopologySpread';
const SKEWED = unschedulable(SPREAD_NAME, "node(s) didn't match pod topology spread constraints");
const NO_LABEL = unresolvable(SPREAD_NAME, "node(s) didn't match pod topology spread constraints (missing required label)");

/** One constraint with the matching pods of every domain. */
interface Spread {
  readonly constraint: SpreadConstraint;
  readonly includes: ((node: V1Node) => boolean) | undefined;
  /** The pod itself matches: it counts where it goes. */
  readonly self: 0 | 1;
  readonly domains: Map<string, number>;
}

/** The filter for hard constraints; undefined when there are none. */
export function spreadFilter(pod: PodInfo, snapshot: Snapshot, constraints: readonly SpreadConstraint[], matching: MatchingPods): NodeFilter | undefined {
  if (constraints.length === 0) return undefined;
  const spreads = constraints.map((constraint): Spread => {
    const includes = inclusionTest(pod.pod, constraint);
    const domains = new Map<string, number>();
    const counts = matching.count(snapshot, pod.namespace, constraint.selector);
    const values = snapshot.columns.topology(constraint.topologyKey);
    for (let i = 0; i < counts.length; i++) {
      const { labels, node } = snapshot.nodes[i]!;
      if (!hasAllTopologies(labels, constraints) || (includes && !includes(node))) continue;
      domains.set(values[i]!, (domains.get(values[i]!) ?? 0) + counts[i]!);
    }
    return { constraint, includes, self: constraint.selector.matches(pod.labels) ? 1 : 0, domains };
  });
  return new SpreadFilter(pod.namespace, constraints, spreads);
}

class SpreadFilter implements ForkedFilter {
  private readonly least: (number | undefined)[];

  constructor(
    private readonly namespace: string,
    private readonly constraints: readonly SpreadConstraint[],
    private readonly spreads: readonly Spread[],
  ) {
    this.least = spreads.map(() => undefined);
  }

  filter({ labels }: NodeInfo): Rejection | undefined {
    for (let i = 0; i < this.spreads.length; i++) {
      const { constraint, self, domains } = this.spreads[i]!;
      const value = labels[constraint.topologyKey];
      if (value === undefined) return NO_LABEL;
      if ((domains.get(value) ?? 0) + self - this.leastCount(i) > constraint.maxSkew) return SKEWED;
    }
    return undefined;
  }

  fork(): ForkedFilter {
    return new SpreadFilter(
      this.namespace,
      this.constraints,
      this.spreads.map((one) => ({ ...one, domains: new Map(one.domains) })),
    );
  }

  change(other: PodInfo, { labels, node }: NodeInfo, sign: 1 | -1): void {
    if (other.namespace !== this.namespace || !hasAllTopologies(labels, this.constraints)) return;
    this.spreads.forEach(({ constraint, includes, domains }, i) => {
      if (!constraint.selector.matches(other.labels) || (includes && !includes(node))) return;
      const value = labels[constraint.topologyKey]!;
      domains.set(value, (domains.get(value) ?? 0) + sign);
      this.least[i] = undefined;
    });
  }

  /** Pods in the least occupied domain; none while there are too few domains. */
  private leastCount(i: number): number {
    let least = this.least[i];
    if (least === undefined) {
      const { constraint, domains } = this.spreads[i]!;
      least = domains.size < constraint.minDomains ? 0 : Infinity;
      for (const count of domains.values()) if (count < least) least = count;
      this.least[i] = least;
    }
    return least;
  }
}
