import type { V1Node, V1Pod } from '../../api/generated/types.js';
import { toleratesTaintAny, untoleratedTaint } from '../../api/helpers/tolerations.js';
import { Action } from '../framework/cluster-event.js';
import { normalizeByMaximum, type FilterPlugin, type ScorePlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';

const NAME = 'TaintToleration';
const REJECTION = unresolvable(NAME, 'node(s) had untolerated taint(s)');
const BLOCKING = ['NoSchedule', 'NoExecute'];

const keptOff = (pod: V1Pod, node: V1Node | undefined): boolean => untoleratedTaint(node?.spec?.taints, pod.spec?.tolerations, BLOCKING) !== undefined;

/** Keeps pods off nodes with taints that they do not tolerate, and prefers nodes with fewer soft taints. */
export const taintTolerationPlugin: FilterPlugin & ScorePlugin = {
  name: NAME,
  interests: [
    {
      resource: 'Node',
      actions: Action.Add | Action.UpdateNodeTaint,
      hint: (pod, before, after) => (before === undefined || keptOff(pod, before)) && !keptOff(pod, after),
    },
    { resource: 'Pod', actions: Action.UpdatePodToleration, hint: (pod, _before, after) => after?.metadata?.uid === pod.metadata?.uid },
  ],
  prepareFilter: ({ pod }, snapshot) => {
    if (!snapshot.columns.anyBlockingTaint) return undefined;
    const tolerations = pod.spec?.tolerations ?? [];
    return {
      filter: (node) => {
        for (const taint of node.facts.blockingTaints) if (!toleratesTaintAny(tolerations, taint)) return REJECTION;
        return undefined;
      },
    };
  },
  prepareScore: ({ pod }, snapshot) => {
    if (!snapshot.columns.anySoftTaint) return undefined;
    const tolerations = (pod.spec?.tolerations ?? []).filter((one) => !one.effect || one.effect === 'PreferNoSchedule');
    return {
      score: (node) => {
        let intolerable = 0;
        for (const taint of node.facts.softTaints) if (!toleratesTaintAny(tolerations, taint)) intolerable++;
        return intolerable;
      },
      normalize: (scores) => normalizeByMaximum(scores, true),
    };
  },
};
