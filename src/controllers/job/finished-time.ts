import type { V1ContainerStatus, V1Pod } from '../../api/generated/types.js';
import { podCondition } from '../../api/helpers/pod-state.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';

/**
 * When a pod came to its end, in milliseconds: when its last container (sidecars too) ended, or else when it stopped being ready, or else
 * when its deletion was asked for, or else when it was created.
 */
export function finishedTime(pod: V1Pod): number {
  const containers = lastEnd(pod);
  if (containers !== undefined) return containers;
  const ready = podCondition(pod, 'Ready');
  const notReady = ready?.status === 'False' ? parseTimestamp(ready.lastTransitionTime) : undefined;
  if (notReady !== undefined) return notReady;
  const deletion = parseTimestamp(pod.metadata?.deletionTimestamp);
  if (deletion !== undefined) return deletion - (pod.metadata?.deletionGracePeriodSeconds ?? 0) * 1000;
  return parseTimestamp(pod.metadata?.creationTimestamp) ?? 0;
}

/** Undefined when there are no containers or one has not ended. */
function lastEnd(pod: V1Pod): number | undefined {
  const sidecars = new Set((pod.spec?.initContainers ?? []).filter((container) => container.restartPolicy === 'Always').map((container) => container.name));
  const statuses: V1ContainerStatus[] = [
    ...(pod.status?.containerStatuses ?? []),
    ...(pod.status?.initContainerStatuses ?? []).filter((status) => sidecars.has(status.name)),
  ];
  let last: number | undefined;
  for (const status of statuses) {
    const end = parseTimestamp(status.state?.terminated?.finishedAt);
    if (end === undefined) return undefined;
    if (last === undefined || end > last) last = end;
  }
  return last;
}
