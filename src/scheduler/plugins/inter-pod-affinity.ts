import type { V1Namespace } from '../../api/generated/types.js';
import type { Labels } from '../../api/selectors/label-requirement.js';
import type { Lister } from '../../client/index.js';
import { termMatches, type AffinityTerm } from '../cache/affinity-term.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import { PodSelector } from '../framework/pod-selector.js';
import type { FilterPlugin, ForkedFilter, NodeFilter, ScorePlugin } from '../framework/plugin.js';
import { unresolvable, unschedulable, type Rejection } from '../framework/rejection.js';
import type { InterPodAffinityArgs } from '../options.js';
import { interPodAffinityInterests } from './inter-pod-affinity-hints.js';
import { affinityScorer } from './inter-pod-affinity-score.js';
import { TopologyCounts } from './topology-counts.js';

const NAME = 'InterPodAffinity';
const AFFINITY = unresolvable(NAME, "node(s) didn't match pod affinity rules");
const ANTI_AFFINITY = unschedulable(NAME, "node(s) didn't match pod anti-affinity rules");
const EXISTING_ANTI_AFFINITY = unschedulable(NAME, "node(s) didn't satisfy existing pods anti-affinity rules");

/** Honours affinity and anti-affinity between pods, also that of the pods which are there already towards the new one. */
export function interPodAffinityPlugin(args: InterPodAffinityArgs, namespaces: Lister<V1Namespace>): FilterPlugin & ScorePlugin {
  const labelsOf = (namespace: string): Labels => namespaces.get('', namespace)?.metadata?.labels;
  const resolve = <T extends AffinityTerm>(terms: readonly T[]): readonly T[] => terms.map((term) => withNamespaces(term, namespaces));
  return {
    name: NAME,
    interests: interPodAffinityInterests,
    prepareFilter: (pod, snapshot) => prepare(pod, snapshot, labelsOf(pod.namespace), resolve),
    prepareScore: affinityScorer(args, labelsOf, resolve),
  };
}

/** Replaces the selector of namespaces by those that it selects now. One that selects all of them stays. */
function withNamespaces<T extends AffinityTerm>(term: T, namespaces: Lister<V1Namespace>): T {
  if (term.namespaceSelector === PodSelector.nothing || term.namespaceSelector.empty) return term;
  const selected = namespaces.list().filter((one) => term.namespaceSelector.matches(one.metadata?.labels));
  return { ...term, namespaces: new Set([...term.namespaces, ...selected.map((one) => one.metadata?.name ?? '')]), namespaceSelector: PodSelector.nothing };
}

function prepare(
  pod: PodInfo,
  snapshot: Snapshot,
  namespaceLabels: Labels,
  resolve: (terms: readonly AffinityTerm[]) => readonly AffinityTerm[],
): NodeFilter | Rejection | undefined {
  if (pod.termsError !== undefined) return unresolvable(NAME, `parsing pod: ${pod.termsError}`);
  const existing = new TopologyCounts();
  for (const position of snapshot.withRequiredAntiAffinityPods) {
    const node = snapshot.nodes[position]!;
    for (const other of node.podsWithRequiredAntiAffinity) countRepelled(existing, other, pod, namespaceLabels, node, 1);
  }
  const affinityTerms = resolve(pod.requiredAffinity);
  const antiAffinityTerms = resolve(pod.requiredAntiAffinity);
  if (existing.untouched && affinityTerms.length === 0 && antiAffinityTerms.length === 0) return undefined;
  const attracted = new TopologyCounts();
  const repelled = new TopologyCounts();
  if (affinityTerms.length > 0 || antiAffinityTerms.length > 0) {
    for (const node of snapshot.nodes) {
      for (const other of node.pods) {
        countAttracted(attracted, affinityTerms, other, node, 1);
        for (const term of antiAffinityTerms) if (termMatches(term, other, undefined)) repelled.add(node.labels, term.topologyKey, 1);
      }
    }
  }
  return new AffinityFilter({ pod, namespaceLabels, affinityTerms, antiAffinityTerms }, existing, attracted, repelled);
}

/** Counts the domains from which the anti-affinity of `other` keeps `pod` away. */
function countRepelled(counts: TopologyCounts, other: PodInfo, pod: PodInfo, namespaceLabels: Labels, node: NodeInfo, amount: number): void {
  for (const term of other.requiredAntiAffinity) if (termMatches(term, pod, namespaceLabels)) counts.add(node.labels, term.topologyKey, amount);
}

/** Counts a pod in its domains when it satisfies all affinity terms at once. */
function countAttracted(counts: TopologyCounts, terms: readonly AffinityTerm[], other: PodInfo, node: NodeInfo, amount: number): void {
  if (terms.length === 0 || !terms.every((term) => termMatches(term, other, undefined))) return;
  for (const term of terms) counts.add(node.labels, term.topologyKey, amount);
}

interface Subject {
  readonly pod: PodInfo;
  readonly namespaceLabels: Labels;
  readonly affinityTerms: readonly AffinityTerm[];
  readonly antiAffinityTerms: readonly AffinityTerm[];
}

class AffinityFilter implements ForkedFilter {
  constructor(
    private readonly subject: Subject,
    /** Pods whose own anti-affinity keeps the pod away. */
    private readonly existing: TopologyCounts,
    /** Pods that the pod must be near to. */
    private readonly attracted: TopologyCounts,
    /** Pods that the pod must not be near to. */
    private readonly repelled: TopologyCounts,
  ) {}

  filter({ labels }: NodeInfo): Rejection | undefined {
    if (!this.satisfiesAffinity(labels)) return AFFINITY;
    for (const { topologyKey } of this.subject.antiAffinityTerms) {
      const value = labels[topologyKey];
      if (value !== undefined && this.repelled.get(topologyKey, value) > 0) return ANTI_AFFINITY;
    }
    return this.existing.anyAt(labels) ? EXISTING_ANTI_AFFINITY : undefined;
  }

  fork(): ForkedFilter {
    return new AffinityFilter(this.subject, this.existing.fork(), this.attracted.fork(), this.repelled.fork());
  }

  change(other: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    const { pod, namespaceLabels, affinityTerms, antiAffinityTerms } = this.subject;
    countRepelled(this.existing, other, pod, namespaceLabels, node, sign);
    countAttracted(this.attracted, affinityTerms, other, node, sign);
    for (const term of antiAffinityTerms) if (termMatches(term, other, undefined)) this.repelled.add(node.labels, term.topologyKey, sign);
  }

  private satisfiesAffinity(labels: Readonly<Record<string, string>>): boolean {
    const { affinityTerms, pod } = this.subject;
    let allNear = true;
    for (const { topologyKey } of affinityTerms) {
      const value = labels[topologyKey];
      if (value === undefined) return false;
      if (this.attracted.get(topologyKey, value) <= 0) allNear = false;
    }
    if (allNear) return true;
    // The first pod of a group that has affinity to itself must be able to start somewhere.
    return this.attracted.empty && affinityTerms.every((term) => termMatches(term, pod, undefined));
  }
}
