import type { V1LabelSelector, V1NodeSelectorTerm } from '../../generated/types.js';
import type { FieldPath } from '../../meta/field-path.js';

/** Labels of nodes that have a successor, with what to say about them. */
const DEPRECATED: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** What to say about a deprecated label of nodes; undefined for other labels. */
export function deprecatedNodeLabel(key: string): string | undefined {
  return DEPRECATED.get(key);
}

export function nodeSelectorTermWarnings(term: V1NodeSelectorTerm, path: FieldPath): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key }, i) => keyWarning(key, path.child('matchExpressions').index(i).child('key')));
}

export function nodeLabelSelectorWarnings(selector: V1LabelSelector | undefined, path: FieldPath): string[] {
  return [
    ...(selector?.matchExpressions ?? []).flatMap(({ key }, i) => keyWarning(key, path.child('matchExpressions').index(i).child('key'))),
    ...Object.keys(selector?.matchLabels ?? {}).flatMap((key) => {
      const message = deprecatedNodeLabel(key);
      return message === undefined ? [] : [`${path.child('matchLabels').child(key)}: ${message}`];
    }),
  ];
}

function keyWarning(key: string, path: FieldPath): string[] {
  const message = deprecatedNodeLabel(key);
  return message === undefined ? [] : [`${path}: ${key} is ${message}`];
}
