import type { V1ContainerStatus, V1PodStatus } from '../../api/generated/types.js';

const LOST = { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown', message: 'The container could not be located when the pod was terminated' } };

/**
 * The status of a pod that is over for good: its phase is final, and what is not known of containers counts as failure,
 * once the pod had come that far.
 */
export function terminatedStatus(status: V1PodStatus): V1PodStatus {
  const phase = status.phase === 'Succeeded' || status.phase === 'Failed' ? status.phase : 'Failed';
  const init = status.initContainerStatuses;
  const initialized = !init?.length || ended(init.at(-1)!) || init.at(-1)!.state?.running !== undefined;
  const begun = status.containerStatuses?.some((item) => item.state?.terminated ?? item.state?.running ?? item.lastState?.terminated) ?? false;
  const lastBegun = init ? init.findLastIndex((item) => ended(item) || item.state?.running !== undefined) : -1;
  return {
    ...status,
    phase,
    ...(status.containerStatuses && initialized && begun ? { containerStatuses: status.containerStatuses.map(over) } : {}),
    ...(init ? { initContainerStatuses: init.map((item, index) => (index <= lastBegun ? over(item) : item)) } : {}),
  };
}

function ended(status: V1ContainerStatus): boolean {
  return status.state?.terminated !== undefined || status.lastState?.terminated !== undefined;
}

function over(status: V1ContainerStatus): V1ContainerStatus {
  return status.state?.terminated ? status : { ...status, ready: false, started: false, state: LOST };
}
