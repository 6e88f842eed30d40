import type { V1Pod } from '../../api/generated/types.js';
import { Quantity } from '../../api/quantity.js';
import type { PodUsage } from './pod-usage.js';
import { resourceOf, thresholdQuantity, type Observations, type PressureCondition, type StarvedResource, type Threshold } from './signals.js';

/** Why a pod is evicted when a node runs short of something. The space at the end is upstream's. */
export function evictionMessage(pod: V1Pod, resource: StarvedResource, usage: PodUsage | undefined, thresholds: readonly Threshold[], observations: Observations): string {
  let message = `The node was low on resource: ${resource}. `;
  const met = thresholds.find(({ signal }) => resourceOf(signal) === resource && observations.has(signal));
  const observed = met && observations.get(met.signal);
  if (met && observed) message += `Threshold quantity: ${thresholdQuantity(met, observed.capacity).toString()}, available: ${observed.available.toString()}. `;
  if (!usage) return message;
  const request = pod.spec?.resources?.requests?.[resource];
  if (resource === 'memory' && request !== undefined && usage.memoryBytes !== undefined) {
    message += `Pod ${pod.metadata?.name} was using ${binary(usage.memoryBytes)}, request is ${Quantity.parse(request).toString()}, has larger consumption of memory. `;
  }
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  for (const { name, memoryBytes, rootfsBytes, logBytes } of usage.containers) {
    const container = containers.find((item) => item.name === name);
    const amount = resource === 'memory' ? memoryBytes : resource === 'ephemeral-storage' && rootfsBytes !== undefined && logBytes !== undefined ? rootfsBytes + logBytes : undefined;
    if (!container || amount === undefined) continue;
    const requested = Quantity.parse(container.resources?.requests?.[resource] ?? '0');
    const using = Quantity.of(amount, 'BinarySI');
    if (using.compare(requested) > 0) message += `Container ${name} was using ${using.toString()}, request is ${requested.toString()}, has larger consumption of ${resource}. `;
  }
  return message;
}

/** Why a pod is not admitted to a node under pressure. */
export function conditionMessage(conditions: readonly PressureCondition[]): string {
  return `The node had condition: [${conditions.join(' ')}]. `;
}

/** A volume has grown beyond its limit. */
export function emptyDirMessage(volume: string, limit: string): string {
  return `Usage of EmptyDir volume "${volume}" exceeds the limit "${limit}". `;
}

/** A pod as a whole has. */
export function podStorageMessage(limit: string): string {
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `;
}

/** A container has. */
export function containerStorageMessage(container: string, limit: string): string {
  return `Container ${container} exceeded its local ephemeral storage limit "${limit}". `;
}

function binary(bytes: number): string {
  return Quantity.of(bytes, 'BinarySI').toString();
}
