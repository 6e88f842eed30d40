import type { V1Container, V1Pod } from '../../api/generated/types.js';
import { isSidecar } from '../../api/helpers/pod-containers.js';
import type { ContainerKind } from '../runtime/index.js';

/** The part that a container of the pod's spec plays. */
export function containerKind(pod: V1Pod, container: V1Container): ContainerKind {
  if (pod.spec?.initContainers?.some((other) => other.name === container.name)) return isSidecar(container) ? 'sidecar' : 'init';
  return pod.spec?.containers.some((other) => other.name === container.name) ? 'regular' : 'ephemeral';
}

/** True when the container is not started again after it succeeded. */
export function runsToCompletion(pod: V1Pod, container: V1Container): boolean {
  return (container.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always') !== 'Always';
}

/** Every container of the spec, in the order init, regular, ephemeral. */
export function* allContainers(pod: V1Pod): Generator<V1Container> {
  yield* pod.spec?.initContainers ?? [];
  yield* pod.spec?.containers ?? [];
  yield* pod.spec?.ephemeralContainers ?? [];
}

/** A container of the spec, of any kind. */
export function containerSpec(pod: V1Pod, name: string): V1Container | undefined {
  for (const container of allContainers(pod)) if (container.name === name) return container;
  return undefined;
}

/** `spec.containers{app}`: what events about a container point at. */
export function containerFieldPath(pod: V1Pod, name: string): string {
  const { spec } = pod;
  if (spec?.initContainers?.some((container) => container.name === name)) return `spec.initContainers{${name}}`;
  if (spec?.ephemeralContainers?.some((container) => container.name === name)) return `spec.ephemeralContainers{${name}}`;
  return `spec.containers{${name}}`;
}
