import type { V1Node, V1NodeSelector, V1Pod, V1PreferredSchedulingTerm } from '../../api/generated/types.js';
import { nodeSelectorMatches, nodeSelectorTermMatches, podMatchesNode } from '../../api/helpers/node-selection.js';

type NodeMatcher = (node: V1Node) => boolean;

/** A predicate for the terms of a node selector. */
export function nodeMatcher(selector: V1NodeSelector | undefined): NodeMatcher | undefined {
  return selector ? (node) => nodeSelectorMatches(selector, node) : undefined;
}

/** `spec.nodeSelector` and the required node affinity of a pod together; undefined when it has neither. */
export function requiredNodeAffinity({ spec }: V1Pod): NodeMatcher | undefined {
  if (!spec) return undefined;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required && Object.keys(spec.nodeSelector ?? {}).length === 0) return undefined;
  return (node) => podMatchesNode(spec, node);
}

/** The sum of the weights of the preferred terms that match; undefined when no term can. */
export function preferredNodeAffinity(terms: readonly V1PreferredSchedulingTerm[] | undefined): ((node: V1Node) => number) | undefined {
  if (!terms || terms.length === 0) return undefined;
  return (node) => {
    let sum = 0;
    for (const { weight, preference } of terms) if (nodeSelectorTermMatches(preference, node)) sum += weight;
    return sum;
  };
}

/**
 * The node names that required affinity by `metadata.name` leaves over; undefined when some term does not restrict the name.
 */
export function requiredNodeNames(pod: V1Pod): ReadonlySet<string> | undefined {
  const terms = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of terms) {
    let ofTerm: string[] | undefined;
    for (const { key, operator, values } of term.matchFields ?? []) {
      if (key !== 'metadata.name' || operator !== 'In') continue;
      ofTerm = ofTerm ? ofTerm.filter((name) => values?.includes(name)) : [...(values ?? [])];
    }
    if (!ofTerm) return undefined;
    for (const name of ofTerm) names.add(name);
  }
  return names;
}
