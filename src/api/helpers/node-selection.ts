import type { V1Node, V1NodeSelector, V1NodeSelectorRequirement, V1NodeSelectorTerm, V1PodSpec } from '../generated/types.js';

/** True when the node's labels fit `nodeSelector` and the required node affinity of the pod. */
export function podMatchesNode(spec: V1PodSpec, node: V1Node): boolean {
  const labels = node.metadata?.labels ?? {};
  for (const key in spec.nodeSelector) if (labels[key] !== spec.nodeSelector[key]) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || nodeSelectorMatches(required, node);
}

/** Terms are alternatives; an empty one matches nothing. */
export function nodeSelectorMatches(selector: V1NodeSelector, node: V1Node): boolean {
  for (const term of selector.nodeSelectorTerms ?? []) if (nodeSelectorTermMatches(term, node)) return true;
  return false;
}

/** All requirements of the term must hold; a term without any matches nothing. */
export function nodeSelectorTermMatches(term: V1NodeSelectorTerm, node: V1Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  for (const requirement of expressions) if (!requirementMatches(requirement, labels[requirement.key])) return false;
  for (const requirement of fields) {
    if (!requirementMatches(requirement, requirement.key === 'metadata.name' ? node.metadata?.name : undefined)) return false;
  }
  return true;
}

function requirementMatches(requirement: V1NodeSelectorRequirement, value: string | undefined): boolean {
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const limit = integer(values[0]);
      const number = integer(value);
      if (limit === undefined || number === undefined) return false;
      return requirement.operator === 'Gt' ? number > limit : number < limit;
    }
    default:
      return false;
  }
}

function integer(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[-+]?[0-9]+$/.test(text) ? BigInt(text.startsWith('+') ? text.slice(1) : text) : undefined;
}
