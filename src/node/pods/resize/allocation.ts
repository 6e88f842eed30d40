import type { V1Container, V1Pod, V1PodStatus, V1ResourceRequirements } from '../../../api/generated/types.js';
import { deepEqual } from '../../../api/helpers/deep-equal.js';
import { isSidecar } from '../../../api/helpers/pod-containers.js';
import { Quantity } from '../../../api/quantity.js';

/** What a node has granted a pod: by container, and for the pod as a whole. It is the spec's until somebody changes that. */
export interface Allocation {
  readonly pod: V1ResourceRequirements | undefined;
  readonly containers: ReadonlyMap<string, V1ResourceRequirements>;
}

/** Resources that can change in a running container. */
const RESIZABLE = ['cpu', 'memory'] as const;
export type ResizableResource = (typeof RESIZABLE)[number];

/** Containers whose resources may change while the pod runs. */
export function resizableContainers(pod: V1Pod): readonly V1Container[] {
  return [...(pod.spec?.initContainers ?? []).filter(isSidecar), ...(pod.spec?.containers ?? [])];
}

/** What a pod asks for now. */
export function allocationOf(pod: V1Pod): Allocation {
  return { pod: pod.spec?.resources, containers: new Map(resizableContainers(pod).map((container) => [container.name, container.resources ?? {}])) };
}

/**
 * What an earlier process granted a pod, as its status tells: what its running containers have. A change that was granted but not made yet
 * is decided anew.
 */
export function reportedAllocation(pod: V1Pod): Allocation {
  const asked = allocationOf(pod);
  return {
    pod: asked.pod,
    containers: new Map([...asked.containers].map(([name, wanted]) => {
      const held = reported(pod.status, name);
      return [name, held ? merge(wanted, held) : wanted];
    })),
  };
}

/** The pod as its node runs it: with what was granted in the place of what is asked for. The pod itself where they are the same. */
export function allocatedPod(pod: V1Pod, allocation: Allocation): V1Pod {
  const changed = (container: V1Container): boolean => allocation.containers.has(container.name) && !sameResources(container.resources, allocation.containers.get(container.name));
  const all = resizableContainers(pod);
  if (!pod.spec || (!all.some(changed) && deepEqual(pod.spec.resources, allocation.pod))) return pod;
  const granted = (container: V1Container): V1Container => (changed(container) ? { ...container, resources: allocation.containers.get(container.name)! } : container);
  const { resources: _asked, ...spec } = pod.spec;
  return {
    ...pod,
    spec: {
      ...spec, ...(allocation.pod ? { resources: allocation.pod } : {}), containers: pod.spec.containers.map(granted), ...(pod.spec.initContainers ? { initContainers: pod.spec.initContainers.map(granted) } : {}),
    },
  };
}

/** The resizable resources that differ, in requests or limits. */
export function changedResources(from: V1ResourceRequirements | undefined, to: V1ResourceRequirements | undefined): readonly ResizableResource[] {
  return RESIZABLE.filter((name) => amount(from?.requests?.[name]) !== amount(to?.requests?.[name]) || amount(from?.limits?.[name]) !== amount(to?.limits?.[name]));
}

/** Whether two amounts of cpu and memory are the same. */
export function sameResources(a: V1ResourceRequirements | undefined, b: V1ResourceRequirements | undefined): boolean {
  return changedResources(a, b).length === 0;
}

function amount(text: string | undefined): bigint {
  return text === undefined ? 0n : Quantity.parse(text).scaled(-3);
}

function reported(status: V1PodStatus | undefined, name: string): V1ResourceRequirements | undefined {
  const found = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find((item) => item.name === name);
  return found?.state?.running ? found.resources : undefined;
}

/** `wanted` with the cpu and memory of `held`. */
function merge(wanted: V1ResourceRequirements, held: V1ResourceRequirements): V1ResourceRequirements {
  const list = (kind: 'limits' | 'requests'): Record<string, string> => {
    const rest = Object.entries(wanted[kind] ?? {}).filter(([name]) => !RESIZABLE.some((resizable) => resizable === name));
    return Object.fromEntries([...rest, ...RESIZABLE.flatMap((name) => (held[kind]?.[name] === undefined ? [] : [[name, held[kind][name]] as const]))]);
  };
  const [limits, requests] = [list('limits'), list('requests')];
  return { ...wanted, ...(wanted.limits || Object.keys(limits).length > 0 ? { limits } : {}), ...(wanted.requests || Object.keys(requests).length > 0 ? { requests } : {}) };
}
