import type { V1Pod, V1PodAffinityTerm, V1WeightedPodAffinityTerm } from '../../api/generated/types.js';
import type { LabelRequirement, Labels } from '../../api/selectors/label-requirement.js';
import { PodSelector } from '../framework/pod-selector.js';

/** A term of inter-pod (anti-)affinity, ready for matching. Immutable. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly selector: PodSelector;
  readonly namespaces: ReadonlySet<string>;
  /** Namespaces with matching labels count besides {@link namespaces}. */
  readonly namespaceSelector: PodSelector;
  /** Equal terms have equal keys. */
  readonly key: string;
}

export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

/** What a term is matched against. */
export interface TermTarget {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Whether `target`, in a namespace with these labels, is one of the pods that the term selects. */
export function termMatches(term: AffinityTerm, target: TermTarget, namespaceLabels: Labels): boolean {
  return (term.namespaces.has(target.namespace) || term.namespaceSelector.matches(namespaceLabels)) && term.selector.matches(target.labels);
}

/** Terms of required affinity or anti-affinity. Throws when a selector is malformed. */
export function parseTerms(pod: V1Pod, terms: readonly V1PodAffinityTerm[] | undefined): readonly AffinityTerm[] {
  return terms && terms.length > 0 ? terms.map((term) => parseTerm(pod, term)) : NO_TERMS;
}

/** Terms of preferred affinity or anti-affinity. Throws when a selector is malformed. */
export function parseWeightedTerms(pod: V1Pod, terms: readonly V1WeightedPodAffinityTerm[] | undefined): readonly WeightedAffinityTerm[] {
  return terms && terms.length > 0 ? terms.map(({ weight, podAffinityTerm }) => ({ ...parseTerm(pod, podAffinityTerm), weight })) : NO_TERMS;
}

const NO_TERMS: readonly WeightedAffinityTerm[] = [];

function parseTerm(pod: V1Pod, term: V1PodAffinityTerm): AffinityTerm {
  const own = !term.namespaces?.length && !term.namespaceSelector;
  return affinityTerm(
    term.topologyKey,
    PodSelector.fromObject(term.labelSelector).with(ownLabelRequirements(pod, term)),
    new Set(own ? [pod.metadata?.namespace ?? ''] : term.namespaces),
    PodSelector.fromObject(term.namespaceSelector),
  );
}

/** A term of its parts. */
export function affinityTerm(topologyKey: string, selector: PodSelector, namespaces: ReadonlySet<string>, namespaceSelector: PodSelector): AffinityTerm {
  const key = `${topologyKey} ${[...namespaces].sort().join(',')} ${namespaceSelector.key} ${selector.key}`;
  return { topologyKey, selector, namespaces, namespaceSelector, key };
}

/** The API server merges these keys into the selector of new pods; a second time does no harm. */
function ownLabelRequirements(pod: V1Pod, { matchLabelKeys, mismatchLabelKeys }: V1PodAffinityTerm): LabelRequirement[] {
  const labels = pod.metadata?.labels ?? {};
  const made = (keys: readonly string[] | undefined, operator: 'in' | 'notin'): LabelRequirement[] =>
    (keys ?? []).filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key]!] }));
  return [...made(matchLabelKeys, 'in'), ...made(mismatchLabelKeys, 'notin')];
}
