import { Action } from '../framework/cluster-event.js';
import type { PreEnqueuePlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';

const NAME = 'SchedulingGates';

/** Keeps pods with `spec.schedulingGates` out of the queue (KEP-3521). */
export const schedulingGatesPlugin: PreEnqueuePlugin = {
  name: NAME,
  interests: [
    { resource: 'Pod', actions: Action.UpdatePodSchedulingGatesEliminated, hint: (pod, _before, after) => after?.metadata?.uid === pod.metadata?.uid },
  ],
  preEnqueue: (pod) => {
    const gates = pod.spec?.schedulingGates ?? [];
    return gates.length === 0 ? undefined : unresolvable(NAME, `waiting for scheduling gates: [${gates.map((one) => one.name).join(' ')}]`);
  },
};
