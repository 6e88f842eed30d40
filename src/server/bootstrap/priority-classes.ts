import type { V1PriorityClass } from '../../api/generated/types.js';
import { PRIORITY_CLASSES } from '../../api/resource-refs.js';
import type { PostStartHook } from '../server-context.js';
import { createIfAbsent } from './ensure.js';

/** Priority classes that are always there; only they may have names that begin with `system-`. */
const SYSTEM_PRIORITY_CLASSES: readonly V1PriorityClass[] = [
  {
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    preemptionPolicy: 'PreemptLowerPriority',
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    preemptionPolicy: 'PreemptLowerPriority',
    description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

export const systemPriorityClasses: PostStartHook = {
  name: 'scheduling/bootstrap-system-priority-classes',
  run: async (context) => {
    await Promise.all(
      SYSTEM_PRIORITY_CLASSES.map((priorityClass) =>
        createIfAbsent(context, PRIORITY_CLASSES, { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', ...priorityClass }),
      ),
    );
  },
};
