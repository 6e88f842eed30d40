import type { V1Container, V1ContainerRestartRule, V1Pod, V1PodSpec } from '../../api/generated/types.js';
import { newestContainer, type PodRuntimeView } from './runtime-view.js';

/** The first rule of the container that fits the exit code. */
export function matchingRestartRule(container: V1Container, exitCode: number): V1ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find((rule) => {
    const listed = rule.exitCodes?.values?.includes(exitCode) ?? false;
    return rule.exitCodes?.operator === 'In' ? listed : rule.exitCodes?.operator === 'NotIn' ? !listed : false;
  });
}

/** Whether a container that ended with `exitCode` is to run again: its own rules, then its own policy, then the pod's. */
export function restartsAfter(container: V1Container, spec: V1PodSpec, exitCode: number): boolean {
  if (container.restartPolicy !== undefined) {
    const action = matchingRestartRule(container, exitCode)?.action;
    if (action === 'Restart' || action === 'RestartAllContainers') return true;
  }
  switch (container.restartPolicy ?? spec.restartPolicy) {
    case 'Never':
      return false;
    case 'OnFailure':
      return exitCode !== 0;
    default:
      return true;
  }
}

/** Whether the container has to be started, given what the runtime knows. */
export function shouldStart(container: V1Container, pod: V1Pod, view: PodRuntimeView): boolean {
  if (pod.metadata?.deletionTimestamp) return false;
  const status = newestContainer(view, container.name);
  if (!status) return true;
  if (status.state === 'running') return false;
  return status.state !== 'exited' || restartsAfter(container, pod.spec!, status.exitCode);
}

/** The pod has a rule by which one container's exit restarts all of them. */
export function couldRestartAll(spec: V1PodSpec): boolean {
  const has = (containers: readonly V1Container[] | undefined): boolean =>
    containers?.some((container) => container.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers')) ?? false;
  return has(spec.initContainers) || has(spec.containers);
}

/** A container has ended in the way that restarts all of them. */
export function restartsAll(pod: V1Pod, view: PodRuntimeView): boolean {
  const spec = pod.spec!;
  if (!couldRestartAll(spec)) return false;
  return [...(spec.initContainers ?? []), ...spec.containers].some((container) => {
    const status = newestContainer(view, container.name);
    return status?.state === 'exited' && matchingRestartRule(container, status.exitCode)?.action === 'RestartAllContainers';
  });
}
