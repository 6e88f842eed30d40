import { deepEqual } from '../../helpers/deep-equal.js';
import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';

/** Rules of fields that may not change, or only once. */
export const IMMUTABLE_MESSAGE = 'field is immutable';

/** The field may not change. Absent, empty list and empty map count as equal; `absent` is how an absent value is shown. */
export function validateImmutable(value: unknown, old: unknown, path: FieldPath, absent: unknown = zeroLike(old)): FieldError[] {
  return value === old || deepEqual(value, old) ? [] : [invalid(path, value ?? absent, IMMUTABLE_MESSAGE)];
}

/** An absent string is printed as the empty one, as everywhere in upstream's messages. */
function zeroLike(old: unknown): unknown {
  return typeof old === 'string' ? '' : typeof old === 'boolean' ? false : null;
}
