import type { V1Pod } from '../../../api/generated/types.js';

/** The message of an event about a resize: what happened, and what the pod asks for as JSON, as upstream has it. */
export function resizeMessage(what: string, pod: V1Pod, generation: number, error = ''): string {
  const list = (containers: NonNullable<V1Pod['spec']>['containers'] | undefined): unknown => containers?.map(({ name, resources }) => ({ name, resources: resources ?? {} }));
  const init = pod.spec?.initContainers;
  return `${what}: ${JSON.stringify({ ...(init?.length ? { initContainers: list(init) } : {}), containers: list(pod.spec?.containers), generation, ...(error === '' ? {} : { error }) })}`;
}
