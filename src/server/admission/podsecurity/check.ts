import type { V1Container, V1ObjectMeta, V1PodSpec } from '../../../api/generated/types.js';

/** What a check finds wrong: the reason in short, and the places. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** One rule about pods; undefined when the pod keeps it. `minor` is the 1.x version of the rules that is asked for. */
export type PodCheck = (spec: V1PodSpec, metadata: V1ObjectMeta, minor: number) => Violation | undefined;

export function containersOf(spec: V1PodSpec): V1Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...((spec.ephemeralContainers ?? []) as readonly V1Container[])];
}

export const plural = (singular: string, many: string, count: number): string => (count === 1 ? singular : many);
export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(', ');
export const sorted = (items: Iterable<string>): string[] => [...new Set(items)].sort();

/** `container "a"`, `containers "a", "b"`. */
export const namedContainers = (containers: readonly V1Container[]): string =>
  `${plural('container', 'containers', containers.length)} ${quoted(containers.map((container) => container.name))}`;

/** `pod and container "a"`: who set something. */
export function setters(pod: boolean, containers: readonly V1Container[]): string {
  return [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [namedContainers(containers)] : [])].join(' and ');
}

/** Pods in a user namespace of their own may do more from 1.35 on. */
export const isInUserNamespace = (spec: V1PodSpec, minor: number): boolean => minor >= 35 && spec.hostUsers === false;
/** Some rules make no sense on Windows, and do not hold there from 1.25 on. */
export const isExemptWindows = (spec: V1PodSpec, minor: number): boolean => minor >= 25 && spec.os?.name === 'windows';
