import type { V1DaemonSetStatus } from '../../api/generated/types.js';
import { isPodAvailable, isPodReady } from '../../api/helpers/pod-state.js';
import { omitZero } from '../shared/omit-zero.js';
import { byAge, isUpdated } from './daemon-pod.js';
import type { DaemonView } from './plan.js';

/** The status for what the view shows. `observed` is the generation that the controller has acted on. */
export function daemonStatus(view: DaemonView, observed: number | undefined, collisionCount: number | undefined): V1DaemonSetStatus {
  const { set, nodes, hashes, now } = view;
  let desired = 0;
  let current = 0;
  let misscheduled = 0;
  let ready = 0;
  let updated = 0;
  let available = 0;
  for (const { eligibility, pods } of nodes) {
    if (!eligibility.shouldRun) {
      if (pods.length > 0) misscheduled += 1;
      continue;
    }
    desired += 1;
    // The oldest pod counts for its node.
    const pod = pods.length > 1 ? [...pods].sort(byAge)[0] : pods[0];
    if (!pod) continue;
    current += 1;
    if (isPodReady(pod)) {
      ready += 1;
      if (isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now)) available += 1;
    }
    if (isUpdated(pod, set, hashes)) updated += 1;
  }
  return {
    currentNumberScheduled: current,
    desiredNumberScheduled: desired,
    numberMisscheduled: misscheduled,
    numberReady: ready,
    ...omitZero({ observedGeneration: observed, updatedNumberScheduled: updated, numberAvailable: available, numberUnavailable: desired - available }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
  };
}
