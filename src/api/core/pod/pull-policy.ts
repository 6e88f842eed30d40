import { notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';

const POLICIES = ['Always', 'IfNotPresent', 'Never'];

export function checkPullPolicy(policy: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!policy) errors.push(required(path));
  else if (!POLICIES.includes(policy)) errors.push(notSupported(path, policy, POLICIES));
}
