import type { V1CapacityRequestPolicy, V1CapacityRequestPolicyRange } from '../generated/types.js';
import { quantityOf } from '../core/validation/quantities.js';
import { forbidden, invalid, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import type { Quantity } from '../quantity.js';
import { validateSet } from './lists.js';

const MAX_OPTIONS = 10;

/** How much of a device's capacity may be asked for: one of some values, or a value in a range. */
export function validateRequestPolicy(capacity: string, policy: V1CapacityRequestPolicy, path: FieldPath): FieldError[] {
  const { default: preset, validValues = [], validRange } = policy;
  const max = quantityOf(capacity);
  if (validValues.length > 0 && validRange !== undefined) {
    return [forbidden(path, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')];
  }
  if (validValues.length === 0 && validRange === undefined) return [];
  const field = validRange === undefined ? 'validValues' : 'validRange';
  if (preset === undefined) return [required(path.child('default'), `required when ${field} is defined`)];
  const at = path.child(field);
  return validRange === undefined ? validateValues(quantityOf(preset), max, validValues, at) : validateRange(quantityOf(preset), max, validRange, at);
}

function validateValues(preset: Quantity, max: Quantity, values: readonly string[], path: FieldPath): FieldError[] {
  const amounts = values.map(quantityOf);
  const errors: FieldError[] = [];
  amounts.forEach((amount, i) => {
    if (i > 0 && amounts[i - 1]!.compare(amount) > 0) errors.push(invalid(path.index(i), String(amount), 'values must be sorted in ascending order'));
  });
  errors.push(...validateSet(amounts, MAX_OPTIONS, (amount, at) =>
    amount.compare(max) > 0 ? [invalid(at, String(amount), `option is larger than capacity value: ${max}`)] : [], (amount) => String(amount.value()), path));
  if (!amounts.some((amount) => amount.equals(preset))) errors.push(invalid(path, String(preset), 'default value is not valid according to the requestPolicy'));
  return errors;
}

function validateRange(preset: Quantity, capacity: Quantity, range: V1CapacityRequestPolicyRange, path: FieldPath): FieldError[] {
  if (range.min === undefined) return [required(path.child('min'), 'required when validRange is defined')];
  const min = quantityOf(range.min);
  const errors: FieldError[] = [];
  const report = (field: string, shown: Quantity, detail: string): void => {
    errors.push(invalid(path.child(field), String(shown), detail));
  };
  if (min.compare(capacity) > 0) report('min', min, `min is larger than capacity value: ${capacity}`);
  if (preset.compare(min) < 0) report('min', preset, `default is less than min: ${min}`);
  const max = range.max === undefined ? undefined : quantityOf(range.max);
  if (max !== undefined) {
    if (min.compare(max) > 0) report('max', min, `min is larger than max: ${max}`);
    if (max.compare(capacity) > 0) report('max', max, `max is larger than capacity value: ${capacity}`);
    if (preset.compare(max) > 0) report('max', preset, `default is more than max: ${max}`);
  }
  if (range.step === undefined) return errors;
  const step = quantityOf(range.step);
  const first = min.add(step);
  if (first.compare(capacity) > 0) report('step', step, `one step ${first} is larger than capacity value: ${capacity}`);
  for (const amount of max === undefined ? [preset] : [preset, max]) {
    if ((amount.scaled(0) - min.scaled(0)) % (step.scaled(0) || 1n) !== 0n) report('step', amount, `value is not a multiple of a given step (${step}) from (${min})`);
  }
  return errors;
}
