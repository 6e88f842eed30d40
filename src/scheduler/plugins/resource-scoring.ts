import { podRequests } from '../../api/helpers/pod-resources.js';
import { isScalarResource } from '../../api/helpers/resource-names.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { ResourceSpec } from '../options.js';

/** Reads one resource of a node. `used` counts the pods on the node, not the one being scheduled. */
export interface ResourceReader {
  readonly name: string;
  readonly weight: number;
  capacity(node: NodeInfo): number;
  used(node: NodeInfo): number;
}

export const DEFAULT_SCORED_RESOURCES: readonly ResourceSpec[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

/**
 * Readers for the resources that count. With `nonZero`, CPU and memory count a stand-in for containers that request none, lest pods
 * without requests all go to one node.
 */
export function resourceReaders(resources: readonly ResourceSpec[], nonZero: boolean): readonly ResourceReader[] {
  return resources.map(({ name, weight }) => ({ name, weight: weight || 1, ...reader(name, nonZero) }));
}

function reader(name: string, nonZero: boolean): Pick<ResourceReader, 'capacity' | 'used'> {
  switch (name) {
    case 'cpu':
      return { capacity: (node) => node.facts.allocatable.milliCpu, used: nonZero ? (node) => node.nonZeroMilliCpu : (node) => node.requested.milliCpu };
    case 'memory':
      return { capacity: (node) => node.facts.allocatable.memory, used: nonZero ? (node) => node.nonZeroMemory : (node) => node.requested.memory };
    case 'ephemeral-storage':
      return { capacity: (node) => node.facts.allocatable.ephemeralStorage, used: (node) => node.requested.ephemeralStorage };
    default:
      return { capacity: (node) => node.facts.allocatable.scalars?.get(name) ?? 0, used: (node) => node.requested.scalars?.get(name) ?? 0 };
  }
}

/** Whether these are CPU and memory with equal weights, in this order: the default, for which there are short ways. */
export function isCpuAndMemory(resources: readonly ResourceSpec[]): boolean {
  return resources.length === 2 && resources[0]!.name === 'cpu' && resources[1]!.name === 'memory' && (resources[0]!.weight || 1) === (resources[1]!.weight || 1);
}

/** What the pod adds to each resource. */
export function podShare(pod: PodInfo, readers: readonly ResourceReader[], nonZero: boolean): readonly number[] {
  let all: ReadonlyMap<string, number> | undefined;
  return readers.map(({ name }) => {
    if (name === 'cpu') return nonZero ? pod.nonZeroMilliCpu : pod.requested.milliCpu;
    if (name === 'memory') return nonZero ? pod.nonZeroMemory : pod.requested.memory;
    if (name === 'ephemeral-storage') return pod.requested.ephemeralStorage;
    return isScalarResource(name) ? (pod.requested.scalars?.get(name) ?? 0) : ((all ??= podRequests(pod.pod, { useStatus: true })).get(name) ?? 0);
  });
}

/** Resources that neither the pod asks for nor every node has do not count. */
export function counts(reader: ResourceReader, share: number): boolean {
  return share !== 0 || !isScalarResource(reader.name);
}
