import type { V1Pod } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { podRequests } from '../../api/helpers/pod-resources.js';
import { Action, clusterEvent, type ClusterEvent } from './cluster-event.js';

const EVENTS = (['AssignedPod', 'UnschedulablePod'] as const).map((resource) => ({
  label: clusterEvent(resource, Action.UpdatePodLabel),
  scaleDown: clusterEvent(resource, Action.UpdatePodScaleDown),
  gates: clusterEvent(resource, Action.UpdatePodSchedulingGatesEliminated),
  toleration: clusterEvent(resource, Action.UpdatePodToleration),
  claim: clusterEvent(resource, Action.UpdatePodGeneratedResourceClaim),
  other: clusterEvent(resource, Action.Update),
}));

/** The changes between two states of a pod that scheduling cares about; a plain update when there is none. */
export function podChanges(previous: V1Pod, pod: V1Pod): readonly ClusterEvent[] {
  const events = EVENTS[pod.spec?.nodeName ? 0 : 1]!;
  const found: ClusterEvent[] = [];
  if (!deepEqual(previous.metadata?.labels ?? {}, pod.metadata?.labels ?? {})) found.push(events.label);
  if (requestsShrank(previous, pod)) found.push(events.scaleDown);
  if (previous.spec?.schedulingGates?.length && !pod.spec?.schedulingGates?.length) found.push(events.gates);
  if ((previous.spec?.tolerations?.length ?? 0) !== (pod.spec?.tolerations?.length ?? 0)) found.push(events.toleration);
  if (!deepEqual(previous.status?.resourceClaimStatuses ?? [], pod.status?.resourceClaimStatuses ?? [])) found.push(events.claim);
  return found.length > 0 ? found : [events.other];
}

function requestsShrank(previous: V1Pod, pod: V1Pod): boolean {
  if (sameRequestInputs(previous, pod)) return false;
  const before = podRequests(previous, { useStatus: true });
  const after = podRequests(pod, { useStatus: true });
  return [...before].some(([name, amount]) => (after.get(name) ?? -1) < amount);
}

/** Most updates touch nothing that requests are made of; this is cheaper than adding them up. */
function sameRequestInputs(previous: V1Pod, pod: V1Pod): boolean {
  const generation = pod.metadata?.generation;
  if (generation === undefined || generation !== previous.metadata?.generation) return false;
  const resources = (one: V1Pod): unknown[] => [
    one.status?.containerStatuses?.map((status) => [status.resources, status.allocatedResources]),
    one.status?.initContainerStatuses?.map((status) => [status.resources, status.allocatedResources]),
    one.status?.resources,
    one.status?.allocatedResources,
    one.status?.conditions?.find((condition) => condition.type === 'PodResizePending')?.reason,
  ];
  return deepEqual(resources(previous), resources(pod));
}
