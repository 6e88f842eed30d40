import type { V1Namespace } from '../../api/generated/types.js';
import type { Labels } from '../../api/selectors/label-requirement.js';
import type { Lister } from '../../client/index.js';
import { affinityTerm, termMatches, type AffinityTerm } from '../cache/affinity-term.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import type { FilterPlugin, ForkedFilter, NodeFilter, ScorePlugin } from '../framework/plugin.js';
import { PodSelector } from '../framework/pod-selector.js';
import { unresolvable, unschedulable, type Rejection } from '../framework/rejection.js';
import type { InterPodAffinityArgs } from '../options.js';
import { ExistingTerms } from './existing-terms.js';
import { interPodAffinityInterests } from './inter-pod-affinity-hints.js';
import { affinityScorer } from './inter-pod-affinity-score.js';
import { MatchingPods } from './matching-pods.js';
import { TopologyCounts } from './topology-counts.js';

const NAME = 'InterPodAffinity';
const AFFINITY = unresolvable(NAME, "node(s) didn't match pod affinity rules");
const ANTI_AFFINITY = unschedulable(NAME, "node(s) didn't match pod anti-affinity rules");
const EXISTING_ANTI_AFFINITY = unschedulable(NAME, "node(s) didn't satisfy existing pods anti-affinity rules");

/** What filter and scorer share. */
export interface AffinityContext {
  readonly existing: ExistingTerms;
  readonly matching: MatchingPods;
  /** Labels of a namespace; undefined when it does not exist. */
  labelsOf(namespace: string): Labels;
  /** Replaces selectors of namespaces by those that they select now. */
  resolve<T extends AffinityTerm>(terms: readonly T[]): readonly T[];
}

/** Honours affinity and anti-affinity between pods, also that of the pods which are there already towards the new one. */
export function interPodAffinityPlugin(args: InterPodAffinityArgs, namespaces: Lister<V1Namespace>): FilterPlugin & ScorePlugin {
  const context: AffinityContext = {
    existing: new ExistingTerms(),
    matching: new MatchingPods(),
    labelsOf: (namespace) => namespaces.get('', namespace)?.metadata?.labels,
    resolve: (terms) => terms.map((term) => withNamespaces(term, namespaces)),
  };
  return {
    name: NAME,
    interests: interPodAffinityInterests(),
    prepareFilter: (pod, snapshot) => prepare(pod, snapshot, context),
    prepareScore: affinityScorer(args, context),
  };
}

/** A selector that selects all namespaces stays. */
function withNamespaces<T extends AffinityTerm>(term: T, namespaces: Lister<V1Namespace>): T {
  if (term.namespaceSelector === PodSelector.nothing || term.namespaceSelector.empty) return term;
  const selected = namespaces.list().filter((one) => term.namespaceSelector.matches(one.metadata?.labels));
  const all = new Set([...term.namespaces, ...selected.map((one) => one.metadata?.name ?? '')]);
  return { ...term, ...affinityTerm(term.topologyKey, term.selector, all, PodSelector.nothing) };
}

function prepare(pod: PodInfo, snapshot: Snapshot, context: AffinityContext): NodeFilter | Rejection | undefined {
  if (pod.termsError !== undefined) return unresolvable(NAME, `parsing pod: ${pod.termsError}`);
  const namespaceLabels = context.labelsOf(pod.namespace);
  const existing = new TopologyCounts(snapshot.columns);
  if (snapshot.anyAffinity) {
    for (const { kind, term, counts } of context.existing.of(snapshot)) {
      if (kind === 'requiredAntiAffinity' && termMatches(term, pod, namespaceLabels)) existing.addAll(term.topologyKey, counts, 1);
    }
  }
  const affinityTerms = context.resolve(pod.requiredAffinity);
  const antiAffinityTerms = context.resolve(pod.requiredAntiAffinity);
  if (existing.untouched && affinityTerms.length === 0 && antiAffinityTerms.length === 0) return undefined;
  const attracted = new TopologyCounts(snapshot.columns);
  const repelled = new TopologyCounts(snapshot.columns);
  if (affinityTerms.length > 0) {
    const key = affinityTerms.map((term) => term.key).join('\n');
    const counts = context.matching.count(snapshot, key, (other) => matchesAll(affinityTerms, other));
    for (const term of affinityTerms) attracted.addAll(term.topologyKey, counts, 1);
  }
  for (const term of antiAffinityTerms) {
    repelled.addAll(term.topologyKey, context.matching.count(snapshot, term.key, (other) => termMatches(term, other, undefined)), 1);
  }
  return new AffinityFilter({ pod, namespaceLabels, affinityTerms, antiAffinityTerms }, existing, attracted, repelled);
}

function matchesAll(terms: readonly AffinityTerm[], pod: PodInfo): boolean {
  for (const term of terms) if (!termMatches(term, pod, undefined)) return false;
  return true;
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

  filter(_node: NodeInfo, position: number): Rejection | undefined {
    if (!this.satisfiesAffinity(position)) return AFFINITY;
    for (const { topologyKey } of this.subject.antiAffinityTerms) if ((this.repelled.get(topologyKey, position) ?? 0) > 0) return ANTI_AFFINITY;
    return this.existing.anyAt(position) ? EXISTING_ANTI_AFFINITY : undefined;
  }

  fork(): ForkedFilter {
    return new AffinityFilter(this.subject, this.existing.fork(), this.attracted.fork(), this.repelled.fork());
  }

  change(other: PodInfo, _node: NodeInfo, position: number, sign: 1 | -1): void {
    const { pod, namespaceLabels, affinityTerms, antiAffinityTerms } = this.subject;
    for (const term of other.requiredAntiAffinity) if (termMatches(term, pod, namespaceLabels)) this.existing.add(term.topologyKey, position, sign);
    if (affinityTerms.length > 0 && matchesAll(affinityTerms, other)) for (const term of affinityTerms) this.attracted.add(term.topologyKey, position, sign);
    for (const term of antiAffinityTerms) if (termMatches(term, other, undefined)) this.repelled.add(term.topologyKey, position, sign);
  }

  private satisfiesAffinity(position: number): boolean {
    const { affinityTerms, pod } = this.subject;
    let allNear = true;
    for (const { topologyKey } of affinityTerms) {
      const count = this.attracted.get(topologyKey, position);
      if (count === undefined) return false;
      if (count <= 0) allNear = false;
    }
    // The first pod of a group that has affinity to itself must be able to start somewhere.
    return allNear || (this.attracted.empty && matchesAll(affinityTerms, pod));
  }
}
