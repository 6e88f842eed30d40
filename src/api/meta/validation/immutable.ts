import { OPTIONAL_STRUCTS } from '../../facts/optional-structs.js';
import { deepEqual } from '../../helpers/deep-equal.js';
import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';

/** Rules of fields that may not change, or only once. */
export const IMMUTABLE_MESSAGE = 'field is immutable';

/** The field may not change. Absent, empty list and empty map count as equal; `absent` is how an absent value is shown. */
export function validateImmutable(value: unknown, old: unknown, path: FieldPath, absent: unknown = zeroLike(old)): FieldError[] {
  return value === old || (deepEqual(value, old) && !isStructBesideNone(value, old, path)) ? [] : [invalid(path, value ?? absent, IMMUTABLE_MESSAGE)];
}

/** Whether one of two equal values is an empty struct where the other is none. */
function isStructBesideNone(value: unknown, old: unknown, path: FieldPath): boolean {
  return (value ?? undefined) === undefined !== ((old ?? undefined) === undefined) && OPTIONAL_STRUCTS.has(path.toString().split('.').at(-1)!);
}

/** An absent string is printed as the empty one, as everywhere in upstream's messages. */
function zeroLike(old: unknown): unknown {
  return typeof old === 'string' ? '' : typeof old === 'boolean' ? false : null;
}
