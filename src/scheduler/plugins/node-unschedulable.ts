import type { V1Node, V1Pod, V1Taint } from '../../api/generated/types.js';
import { toleratesTaintAny } from '../../api/helpers/tolerations.js';
import { Action } from '../framework/cluster-event.js';
import type { FilterPlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';

const NAME = 'NodeUnschedulable';
const REJECTION = unresolvable(NAME, 'node(s) were unschedulable');

/** What `spec.unschedulable` stands for. */
const UNSCHEDULABLE_TAINT: V1Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

const toleratesUnschedulable = (pod: V1Pod | undefined): boolean => toleratesTaintAny(pod?.spec?.tolerations, UNSCHEDULABLE_TAINT);

/** Keeps pods off cordoned nodes, unless they tolerate the taint that cordoning stands for. */
export const nodeUnschedulablePlugin: FilterPlugin = {
  name: NAME,
  interests: [
    {
      resource: 'Node',
      actions: Action.Add | Action.UpdateNodeTaint,
      hint: (_pod, before, after) => {
        const was = (before as V1Node | undefined)?.spec?.unschedulable ?? false;
        const is = (after as V1Node | undefined)?.spec?.unschedulable ?? false;
        return !is && (before === undefined || was);
      },
    },
    {
      resource: 'Pod',
      actions: Action.UpdatePodToleration,
      hint: (pod, _before, after) => after?.metadata?.uid === pod.metadata?.uid && toleratesUnschedulable(after),
    },
  ],
  prepareFilter: ({ pod }, snapshot) => {
    if (!snapshot.columns.anyUnschedulable || toleratesUnschedulable(pod)) return undefined;
    return { filter: (node) => (node.facts.unschedulable ? REJECTION : undefined) };
  },
};
