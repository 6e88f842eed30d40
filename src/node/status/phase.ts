import type { V1Container, V1ContainerStatus, V1PodSpec } from '../../api/generated/types.js';
import { isSidecar } from '../../api/helpers/pod-containers.js';
import { restartsAfter } from './restart-rules.js';

/** Reason of containers that a restart of all of them took away. */
export const RESTARTING_ALL = 'RestartingAllContainers';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

interface PhaseInput {
  readonly spec: V1PodSpec;
  /** Statuses of init and regular containers. */
  readonly statuses: readonly V1ContainerStatus[];
  /** The pod will not run again, whatever its policy. */
  readonly ending: boolean;
  /** A regular container exists in the present sandbox. */
  readonly initialized: boolean;
}

/** The end of a container's last instance, if it is not running now. */
function lastEnd(status: V1ContainerStatus): { readonly exitCode: number; readonly reason?: string } | undefined {
  return status.state?.terminated ?? (status.state?.waiting ? status.lastState?.terminated : undefined);
}

function comesBack(container: V1Container, spec: V1PodSpec, end: { readonly exitCode: number; readonly reason?: string }): boolean {
  return end.reason === RESTARTING_ALL || restartsAfter(container, spec, end.exitCode);
}

/**
 * The phase that container statuses add up to. Failed as soon as an init container failed for good; Pending until all
 * init containers are through and every container has started once; afterwards Running, until no regular container will run again.
 */
export function podPhase({ spec, statuses, ending, initialized }: PhaseInput): PodPhase {
  const of = (container: V1Container): V1ContainerStatus | undefined => statuses.find((status) => status.name === container.name);
  let pendingInit = 0;
  let pendingSidecars = 0;
  let running = 0;
  let waiting = 0;
  let unknown = 0;
  for (const container of spec.initContainers ?? []) {
    const status = of(container);
    if (isSidecar(container)) {
      if (!status) unknown++;
      else if (status.state?.running) {
        running++;
        if (status.started !== true) pendingSidecars++;
      } else if (!lastEnd(status)) {
        pendingSidecars++;
        if (status.state?.waiting) waiting++;
        else unknown++;
      }
      continue;
    }
    const end = status && lastEnd(status);
    if (!end) pendingInit++;
    else if (end.exitCode !== 0 && !comesBack(container, spec, end)) return 'Failed';
  }
  let stopped = 0;
  let restarting = 0;
  let succeeded = 0;
  for (const container of spec.containers) {
    const status = of(container);
    const end = status && lastEnd(status);
    if (status?.state?.running) running++;
    else if (status && end) {
      stopped++;
      if (comesBack(container, spec, end)) restarting++;
      // One that waits for its next run does not count as done.
      if (status.state?.terminated && end.exitCode === 0) succeeded++;
    } else if (status?.state?.waiting) waiting++;
    else unknown++;
  }
  if (pendingInit > 0 || (pendingSidecars > 0 && !initialized) || waiting > 0) return 'Pending';
  if (running > 0 && unknown === 0) return 'Running';
  if (running > 0 || stopped === 0 || unknown > 0) return 'Pending';
  if (!ending && restarting > 0) return 'Running';
  return stopped === succeeded ? 'Succeeded' : 'Failed';
}
