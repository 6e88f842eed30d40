import type { V1ObjectFieldSelector, V1ResourceFieldSelector } from '../../generated/types.js';
import { canonicalQuantity } from '../../quantity.js';
import { invalid, notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { qualifiedName } from '../../meta/validation/labels.js';
import { quantityOf } from '../validation/quantities.js';

/** The downward API: which fields of a pod and which resources of a container can be asked for. */
export const ENV_FIELDS: readonly string[] = [
  'metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.nodeName', 'spec.serviceAccountName',
  'status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs',
];
export const VOLUME_FIELDS: readonly string[] = ['metadata.name', 'metadata.namespace', 'metadata.labels', 'metadata.annotations', 'metadata.uid'];

const KNOWN_FIELDS = new Set([
  ...ENV_FIELDS, ...VOLUME_FIELDS, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase', 'spec.host',
]);
const RESOURCES = ['limits.cpu', 'limits.memory', 'limits.ephemeral-storage', 'requests.cpu', 'requests.memory', 'requests.ephemeral-storage'];
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const HUGE_PAGES = /^(?:requests|limits)\.hugepages-/;

/** `metadata.labels['a']` as its two parts; undefined when there is no subscript. */
function splitSubscript(fieldPath: string): { readonly path: string; readonly subscript: string } | undefined {
  if (!fieldPath.endsWith("']")) return undefined;
  const open = fieldPath.indexOf("['");
  return open > 0 && open + 2 <= fieldPath.length - 2 ? { path: fieldPath.slice(0, open), subscript: fieldPath.slice(open + 2, -2) } : undefined;
}

export function checkFieldRef(ref: V1ObjectFieldSelector, allowed: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (!ref.apiVersion) return void errors.push(required(path.child('apiVersion')));
  if (!ref.fieldPath) return void errors.push(required(path.child('fieldPath')));
  const parts = splitSubscript(ref.fieldPath);
  const problem = conversionProblem(ref.apiVersion, ref.fieldPath, parts?.path);
  if (problem !== undefined) return void errors.push(invalid(path.child('fieldPath'), ref.fieldPath, `error converting fieldPath: ${problem}`));
  if (parts) {
    const key = parts.path === 'metadata.annotations' ? parts.subscript.toLowerCase() : parts.subscript;
    for (const message of qualifiedName(key)) errors.push(invalid(path, key, message));
    return;
  }
  const field = ref.fieldPath === 'spec.host' ? 'spec.nodeName' : ref.fieldPath;
  if (!allowed.includes(field)) errors.push(notSupported(path.child('fieldPath'), field, allowed));
}

/** `inVolume`: the container must be named, as a volume belongs to none. */
export function checkResourceFieldRef(ref: V1ResourceFieldSelector, inVolume: boolean, path: FieldPath, errors: FieldError[]): void {
  const resource = ref.resource ?? '';
  if (inVolume && !ref.containerName) errors.push(required(path.child('containerName')));
  else if (resource === '') errors.push(required(path.child('resource')));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) errors.push(notSupported(path.child('resource'), resource, RESOURCES));
  if (ref.divisor === undefined || quantityOf(ref.divisor).isZero) return;
  const wrong = divisorProblem(resource, canonicalQuantity(ref.divisor));
  if (wrong !== undefined) errors.push(invalid(path.child('divisor'), resource, wrong));
}

function conversionProblem(apiVersion: string, fieldPath: string, subscripted: string | undefined): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  if (subscripted !== undefined) {
    return subscripted === 'metadata.annotations' || subscripted === 'metadata.labels' ? undefined : `field label does not support subscript: ${fieldPath}`;
  }
  return KNOWN_FIELDS.has(fieldPath) ? undefined : `field label not supported: ${fieldPath}`;
}

function divisorProblem(resource: string, divisor: string): string | undefined {
  const what = resource.endsWith('.cpu') ? 'cpu'
    : resource.endsWith('.memory') ? 'memory'
      : resource.endsWith('.ephemeral-storage') ? 'local ephemeral storage'
        : HUGE_PAGES.test(resource) ? 'hugepages' : undefined;
  if (what === undefined || !(RESOURCES.includes(resource) || HUGE_PAGES.test(resource))) return undefined;
  if (what === 'cpu') return divisor === '1' || divisor === '1m' ? undefined : "only divisor's values 1m and 1 are supported with the cpu resource";
  return SIZES.includes(divisor) ? undefined : `only divisor's values ${SIZES.join(', ')} are supported with the ${what} resource`;
}
