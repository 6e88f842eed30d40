import type { V1Container, V1ContainerRestartRule, V1PodSpec } from '../generated/types.js';

/** The first of the container's restart rules that fits the exit code. */
export function matchingRestartRule(container: V1Container, exitCode: number): V1ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find(({ exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes?.operator === 'In' ? listed : exitCodes?.operator === 'NotIn' && !listed;
  });
}

/** Whether a container that ended runs again: its own rules, then its own policy, then the pod's decide. */
export function containerShouldRestart(container: V1Container, spec: V1PodSpec, exitCode: number): boolean {
  if (container.restartPolicy !== undefined) {
    const action = matchingRestartRule(container, exitCode)?.action;
    if (action === 'Restart' || action === 'RestartAllContainers') return true;
  }
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}

/** True when some rule may start all containers of the pod anew. */
export function podCouldRestartAllContainers(spec: V1PodSpec): boolean {
  const asks = (container: V1Container): boolean => container.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers') ?? false;
  return spec.containers.some(asks) || (spec.initContainers ?? []).some(asks);
}
