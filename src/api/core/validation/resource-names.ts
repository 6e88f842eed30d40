import { isExtendedResource, isHugePages, isNativeResource, isStandardContainerResource } from '../../helpers/resource-names.js';
import { invalid, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { qualifiedName } from '../../meta/validation/labels.js';

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED = ['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps', 'persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'];
const QUOTA = new Set([...COMPUTE, ...COUNTED, 'requests.storage', ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`])]);

const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith('requests.hugepages-');

/** Limited by quotas without a domain in its name. */
export const isStandardQuotaResource = (name: string): boolean => QUOTA.has(name) || isQuotaHugePages(name);

/** A name of the standard ones, or one with a domain. */
export function validateResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = qualifiedName(name).map((message) => invalid(path, name, message));
  if (errors.length === 0 && !name.includes('/') && name !== 'storage' && !isStandardQuotaResource(name)) {
    errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
  }
  return errors;
}

/** A resource that containers ask for. */
export function validateContainerResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes('/')) {
    if (!isStandardContainerResource(name)) errors.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

/** A resource that a quota can limit; object counts (`count/…`) have a slash. */
export function validateQuotaResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes('/') && !isStandardQuotaResource(name)) errors.push(invalid(path, name, 'must be a standard resource for quota'));
  return errors;
}
