import type { ResourceV1ResourceClaim, V1ResourceClaimSpec } from '../generated/types.js';
import { forbidden, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import type { StrategyContext } from '../scheme/kind.js';

type Status = ResourceV1ResourceClaim['status'];

const LABEL = 'resource.kubernetes.io/admin-access';

/** Requests for access to devices that others use are for namespaces with the label alone. The path is upstream's, also in templates. */
export function validateAdminRequests(spec: V1ResourceClaimSpec | undefined, namespace: string, context: StrategyContext): FieldError[] {
  const index = spec?.devices?.requests?.findIndex(({ exactly }) => exactly?.adminAccess === true) ?? -1;
  return index < 0 ? [] : validateLabel(FieldPath.of('spec', 'devices', 'requests').index(index), namespace, context);
}

/** The same for what has been allocated; what was granted once stays. */
export function validateAdminResults(status: Status, old: Status, namespace: string, context: StrategyContext): FieldError[] {
  if (firstGranted(old) >= 0) return [];
  const index = firstGranted(status);
  return index < 0 ? [] : validateLabel(FieldPath.of('status', 'allocation', 'devices', 'results').index(index), namespace, context);
}

function firstGranted(status: Status): number {
  return status?.allocation?.devices?.results?.findIndex(({ adminAccess }) => adminAccess === true) ?? -1;
}

function validateLabel(path: FieldPath, namespace: string, { namespaceLabels }: StrategyContext): FieldError[] {
  if (namespaceLabels?.(namespace)?.[LABEL] === 'true') return [];
  return [forbidden(path.child('adminAccess'), `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`)];
}
