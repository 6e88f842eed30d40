import type { V1Node, V1Pod, V1TopologySpreadConstraint } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { PodInfo } from '../cache/pod-info.js';
import { Action } from '../framework/cluster-event.js';
import { memoByObject } from '../framework/memo.js';
import type { FilterPlugin, ScorePlugin } from '../framework/plugin.js';
import type { PodTopologySpreadArgs } from '../options.js';
import { DefaultSpreadSelector, type SpreadListers } from './default-spread-selector.js';
import { MatchingPods } from './matching-pods.js';
import { hasAllTopologies, parseConstraints, SYSTEM_DEFAULT_CONSTRAINTS, type SpreadConstraint } from './pod-topology-spread-constraints.js';
import { spreadFilter, SPREAD_NAME } from './pod-topology-spread-filter.js';
import { spreadScorer } from './pod-topology-spread-score.js';

type ConstraintAction = 'DoNotSchedule' | 'ScheduleAnyway';

/** Spreads pods over domains: as their own constraints say or, for members of a Service or controller without any, by default. */
export function podTopologySpreadPlugin(args: PodTopologySpreadArgs, listers: SpreadListers): FilterPlugin & ScorePlugin {
  const system = (args.defaultingType ?? 'System') === 'System';
  const defaults: readonly V1TopologySpreadConstraint[] = system ? SYSTEM_DEFAULT_CONSTRAINTS : (args.defaultConstraints ?? []);
  const groups = new DefaultSpreadSelector(listers);
  const matching = new MatchingPods();
  const constraintsOf = (pod: PodInfo, action: ConstraintAction): readonly SpreadConstraint[] => {
    const own = pod.pod.spec?.topologySpreadConstraints ?? [];
    if (own.length > 0) return parseConstraints(own, pod.labels ?? {}, action);
    const applicable = parseConstraints(defaults, pod.labels ?? {}, action);
    if (applicable.length === 0) return applicable;
    const selector = groups.find(pod);
    return selector.empty ? [] : applicable.map((one) => ({ ...one, selector }));
  };
  const ownHard = memoByObject((pod: V1Pod) => parseConstraints(pod.spec?.topologySpreadConstraints ?? [], pod.metadata?.labels ?? {}, 'DoNotSchedule'));
  // Defaults depend on services and controllers, which come and go.
  const hard = (pod: V1Pod): readonly SpreadConstraint[] =>
    pod.spec?.topologySpreadConstraints?.length ? ownHard(pod) : constraintsOf(new PodInfo(pod), 'DoNotSchedule');
  return {
    name: SPREAD_NAME,
    interests: [
      {
        resource: 'Pod',
        actions: Action.Add | Action.UpdatePodLabel | Action.UpdatePodToleration | Action.Delete,
        hint: (pod, before, after) => podHint(pod, before, after, hard),
      },
      {
        resource: 'Node',
        actions: Action.Add | Action.Delete | Action.UpdateNodeLabel | Action.UpdateNodeTaint,
        hint: (pod, before, after) => nodeHint(before, after, hard(pod)),
      },
    ],
    prepareFilter: (pod, snapshot) => spreadFilter(pod, snapshot, constraintsOf(pod, 'DoNotSchedule'), matching),
    prepareScore: (pod, snapshot, nodes) => {
      const requireAll = !system || (pod.pod.spec?.topologySpreadConstraints?.length ?? 0) > 0;
      return spreadScorer(pod, snapshot, nodes, constraintsOf(pod, 'ScheduleAnyway'), requireAll, matching);
    },
  };
}

function podHint(pod: V1Pod, before: V1Pod | undefined, after: V1Pod | undefined, hard: (pod: V1Pod) => readonly SpreadConstraint[]): boolean {
  const involved = (other: V1Pod): boolean =>
    other.metadata?.uid === pod.metadata?.uid ||
    ((Boolean(other.spec?.nodeName) || Boolean(other.status?.nominatedNodeName)) && other.metadata?.namespace === pod.metadata?.namespace);
  if ((after && !involved(after)) || (before && !involved(before))) return false;
  const constraints = hard(pod);
  if (before && after) {
    const tolerationsChanged = after.metadata?.uid === pod.metadata?.uid && !deepEqual(before.spec?.tolerations, after.spec?.tolerations);
    if (tolerationsChanged && constraints.some((one) => one.honorTaints)) return true;
    if (deepEqual(before.metadata?.labels, after.metadata?.labels)) return false;
    return constraints.some((one) => one.selector.matches(before.metadata?.labels) !== one.selector.matches(after.metadata?.labels));
  }
  const labels = (after ?? before)?.metadata?.labels;
  return constraints.some((one) => one.selector.matches(labels));
}

function nodeHint(before: V1Node | undefined, after: V1Node | undefined, constraints: readonly SpreadConstraint[]): boolean {
  const was = before !== undefined && hasAllTopologies(before.metadata?.labels ?? {}, constraints);
  const is = after !== undefined && hasAllTopologies(after.metadata?.labels ?? {}, constraints);
  if (!before || !after) return was || is;
  if (was !== is) return true;
  const moved = constraints.some((one) => before.metadata?.labels?.[one.topologyKey] !== after.metadata?.labels?.[one.topologyKey]);
  return is && (moved || !deepEqual(before.spec?.taints, after.spec?.taints));
}
