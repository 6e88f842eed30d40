import { deepEqual } from '../../helpers/deep-equal.js';
import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';

/** Rules of fields that may not change, or only once. */
export const IMMUTABLE_MESSAGE = 'field is immutable';

/** The field may not change. Absent, empty list and empty map count as equal. */
export function validateImmutable(value: unknown, old: unknown, path: FieldPath): FieldError[] {
  return value === old || deepEqual(value, old) ? [] : [invalid(path, value ?? zeroLike(old), IMMUTABLE_MESSAGE)];
}

/** An absent string is printed as the empty one, as everywhere in upstream's messages. */
function zeroLike(old: unknown): unknown {
  return typeof old === 'string' ? '' : typeof old === 'boolean' ? false : null;
}
