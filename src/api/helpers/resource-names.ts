import { qualifiedName } from '../meta/validation/labels.js';

/** Classes of resource names in requests, limits, quotas and node capacity. */
export const HUGE_PAGES_PREFIX = 'hugepages-';

export function isHugePages(name: string): boolean {
  return name.startsWith(HUGE_PAGES_PREFIX);
}

/** In the `kubernetes.io/` namespace, or without one. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** A domain-prefixed resource of a device plugin: counted in whole numbers, never overcommitted. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

export function isAttachableVolumeResource(name: string): boolean {
  return name.startsWith('attachable-volumes-');
}

/** What containers may request without a domain. */
const STANDARD_CONTAINER = new Set(['cpu', 'memory', 'ephemeral-storage']);

export function isStandardContainerResource(name: string): boolean {
  return STANDARD_CONTAINER.has(name) || isHugePages(name);
}

/** What a pod-level request may name. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

/** Limits may be above requests. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** Counted in whole numbers. */
export function isIntegerResource(name: string): boolean {
  return INTEGER.has(name) || isExtendedResource(name);
}

const INTEGER = new Set([
  'pods', 'services', 'replicationcontrollers', 'resourcequotas', 'secrets', 'configmaps', 'persistentvolumeclaims',
  'services.nodeports', 'services.loadbalancers',
]);

/** A node's resource that the scheduler tracks beyond cpu, memory, ephemeral storage and pods. */
export function isScalarResource(name: string): boolean {
  return isExtendedResource(name) || isHugePages(name) || name.startsWith('kubernetes.io/') || isAttachableVolumeResource(name);
}
