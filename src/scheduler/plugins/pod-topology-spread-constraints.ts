import type { V1Node, V1Pod, V1TopologySpreadConstraint } from '../../api/generated/types.js';
import { untoleratedTaint } from '../../api/helpers/tolerations.js';
import type { Snapshot } from '../cache/snapshot.js';
import { requiredNodeAffinity } from '../framework/node-selector.js';
import { PodSelector } from '../framework/pod-selector.js';
import type { MatchingPods } from './matching-pods.js';

/** A spread constraint, ready for counting. Immutable. */
export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly selector: PodSelector;
  /** With fewer domains than this, the least occupied one counts as empty. */
  readonly minDomains: number;
  /** Nodes that the pod's node affinity rules out do not count. */
  readonly honorAffinity: boolean;
  /** Nodes with taints that the pod does not tolerate do not count. */
  readonly honorTaints: boolean;
}

export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** What upstream assumes of pods without constraints of their own. */
export const SYSTEM_DEFAULT_CONSTRAINTS: readonly V1TopologySpreadConstraint[] = [
  { topologyKey: HOSTNAME_LABEL, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

/** Those of the constraints that are hard or soft. Throws when a selector is malformed. */
export function parseConstraints(
  constraints: readonly V1TopologySpreadConstraint[],
  podLabels: Readonly<Record<string, string>>,
  action: 'DoNotSchedule' | 'ScheduleAnyway',
): readonly SpreadConstraint[] {
  return constraints
    .filter((one) => one.whenUnsatisfiable === action)
    .map((one) => ({
      topologyKey: one.topologyKey,
      maxSkew: one.maxSkew,
      selector: PodSelector.fromObject(one.labelSelector).with(
        (one.matchLabelKeys ?? []).filter((key) => Object.hasOwn(podLabels, key)).map((key) => ({ key, operator: 'in', values: [podLabels[key]!] })),
      ),
      minDomains: one.minDomains ?? 1,
      honorAffinity: (one.nodeAffinityPolicy ?? 'Honor') === 'Honor',
      honorTaints: one.nodeTaintsPolicy === 'Honor',
    }));
}

/** Whether a node counts for a constraint of this pod; undefined when every node does. */
export function inclusionTest(pod: V1Pod, { honorAffinity, honorTaints }: SpreadConstraint): ((node: V1Node) => boolean) | undefined {
  const affinity = honorAffinity ? requiredNodeAffinity(pod) : undefined;
  if (!affinity && !honorTaints) return undefined;
  const tolerations = pod.spec?.tolerations;
  return (node) =>
    (!affinity || affinity(node)) && (!honorTaints || untoleratedTaint(node.spec?.taints, tolerations, ['NoSchedule', 'NoExecute']) === undefined);
}

/** Whether the node has all topology labels. */
export function hasAllTopologies(labels: Readonly<Record<string, string>>, constraints: readonly SpreadConstraint[]): boolean {
  for (const { topologyKey } of constraints) if (labels[topologyKey] === undefined) return false;
  return true;
}

/** By position: 1 for nodes that have all topology labels. */
export function positionsWithAllTopologies({ nodes, columns }: Snapshot, constraints: readonly SpreadConstraint[]): Uint8Array {
  const complete = new Uint8Array(nodes.length).fill(1);
  for (const { topologyKey } of constraints) {
    const { domains } = columns.topology(topologyKey);
    for (let i = 0; i < domains.length; i++) if (domains[i]! < 0) complete[i] = 0;
  }
  return complete;
}

/** Matching pods of the namespace that are not being deleted, by position of their node. An empty selector counts nothing. */
export function countSpread(matching: MatchingPods, snapshot: Snapshot, namespace: string, selector: PodSelector): Int32Array {
  if (selector.empty) return new Int32Array(snapshot.nodes.length);
  return matching.count(snapshot, `${namespace}\n${selector.key}`, (pod) => pod.namespace === namespace && !pod.terminating && selector.matches(pod.labels));
}
