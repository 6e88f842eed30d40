import type { V1Condition } from '../../generated/types.js';
import { duplicate, invalid, required, tooLong, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { validateEnum } from './enums.js';
import { validateLabelName } from './labels.js';
import { byteLength, patternMessage } from './messages.js';

/** Rules of lists of `meta/v1` conditions. */
const REASON_MESSAGE = patternMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?', 'my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB');

export function validateConditions(conditions: readonly V1Condition[] | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (conditions ?? []).forEach((condition, i) => {
    if (seen.has(condition.type)) errors.push(duplicate(path.index(i).child('type'), condition.type));
    seen.add(condition.type);
    errors.push(...validateCondition(condition, path.index(i)));
  });
  return errors;
}

export function validateCondition(condition: V1Condition, path: FieldPath): FieldError[] {
  const errors = validateLabelName(condition.type ?? '', path.child('type'));
  errors.push(...validateEnum(condition.status, ['False', 'True', 'Unknown'], path.child('status')));
  if ((condition.observedGeneration ?? 0) < 0) errors.push(invalid(path.child('observedGeneration'), condition.observedGeneration, 'must be greater than or equal to zero'));
  if (!condition.lastTransitionTime) errors.push(required(path.child('lastTransitionTime')));
  if (!condition.reason) errors.push(required(path.child('reason')));
  else {
    if (!/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(condition.reason)) errors.push(invalid(path.child('reason'), condition.reason, REASON_MESSAGE));
    if (byteLength(condition.reason) > 1024) errors.push(tooLong(path.child('reason'), 1024));
  }
  if (byteLength(condition.message ?? '') > 32 * 1024) errors.push(tooLong(path.child('message'), 32 * 1024));
  return errors;
}
