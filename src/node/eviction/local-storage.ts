import type { V1Pod } from '../../api/generated/types.js';
import { podLimitQuantities } from '../../api/helpers/pod-resources.js';
import { Quantity } from '../../api/quantity.js';
import { containerStorageMessage, emptyDirMessage, podStorageMessage } from './messages.js';
import type { PodUsage } from './pod-usage.js';

const RESOURCE = 'ephemeral-storage';

/** Whether a pod limits what it may take of the node's disk: only such pods are measured. */
export function hasStorageLimit(pod: V1Pod): boolean {
  return pod.spec?.volumes?.some((volume) => volume.emptyDir?.sizeLimit !== undefined && Quantity.parse(volume.emptyDir.sizeLimit).sign > 0) === true || podLimitQuantities(pod).has(RESOURCE);
}

/** Why a pod is evicted for what it keeps on the node's disk; undefined when it keeps within its limits. Volumes come first, then the pod, then its containers. */
export function storageViolation(pod: V1Pod, usage: PodUsage): string | undefined {
  return emptyDirViolation(pod, usage) ?? podViolation(pod, usage) ?? containerViolation(pod, usage);
}

function emptyDirViolation(pod: V1Pod, usage: PodUsage): string | undefined {
  for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
    const used = usage.emptyDirs.get(name);
    if (!emptyDir?.sizeLimit || used === undefined) continue;
    const limit = Quantity.parse(emptyDir.sizeLimit);
    if (limit.sign > 0 && Quantity.of(used).compare(limit) > 0) return emptyDirMessage(name, limit.toString());
  }
  return undefined;
}

function podViolation(pod: V1Pod, usage: PodUsage): string | undefined {
  const limit = podLimitQuantities(pod).get(RESOURCE);
  return limit && Quantity.of(usage.ephemeralBytes ?? 0).compare(limit) > 0 ? podStorageMessage(limit.toString()) : undefined;
}

function containerViolation(pod: V1Pod, usage: PodUsage): string | undefined {
  for (const { name, logBytes = 0, rootfsBytes = 0 } of usage.containers) {
    const text = pod.spec?.containers.find((container) => container.name === name)?.resources?.limits?.[RESOURCE];
    if (text === undefined) continue;
    const limit = Quantity.parse(text);
    if (!limit.isZero && Quantity.of(logBytes + rootfsBytes).compare(limit) > 0) return containerStorageMessage(name, limit.toString());
  }
  return undefined;
}
