import type { V1DeviceClassConfiguration, V1DeviceSelector, V1DeviceTaint, V1DeviceToleration } from '../generated/types.js';
import { validateCsiDriverName } from '../core/validation/csi-driver-name.js';
import { duplicate, invalid, notSupported, notSupportedInOrder, required, tooLong, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { labelValue, validateLabelName } from '../meta/validation/labels.js';
import { byteLength } from '../meta/validation/messages.js';
import { validateList } from './lists.js';

export const MAX_SELECTORS = 32;
export const MAX_CONFIGS = 32;
const MAX_EXPRESSION = 10 * 1024;
const MAX_PARAMETERS = 10 * 1024;
const MAX_BINDING_CONDITIONS = 4;
const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];

/** Selectors are expressions; whether they compile is seen where they are used. */
export function validateSelectors(selectors: readonly V1DeviceSelector[] | undefined, path: FieldPath): FieldError[] {
  return validateList(selectors, MAX_SELECTORS, ({ cel }, at) => {
    if (cel === undefined) return [required(at.child('cel'))];
    const expression = cel.expression ?? '';
    return byteLength(expression) > MAX_EXPRESSION ? [tooLong(at.child('cel', 'expression'), MAX_EXPRESSION)] : [];
  }, path);
}

/** Configuration that is handed to a driver as it is. */
export function validateDeviceConfiguration(config: V1DeviceClassConfiguration, path: FieldPath): FieldError[] {
  if (config.opaque === undefined) return [required(path.child('opaque'))];
  const at = path.child('opaque');
  return [...validateCsiDriverName(config.opaque.driver, at.child('driver')), ...validateRawObject(config.opaque.parameters, MAX_PARAMETERS, at.child('parameters'))];
}

/** Any JSON object, up to a size. */
export function validateRawObject(value: unknown, maxBytes: number, path: FieldPath): FieldError[] {
  if (value === undefined || value === null) return [required(path)];
  if (byteLength(JSON.stringify(value)) > maxBytes) return [tooLong(path, maxBytes)];
  return typeof value === 'object' && !Array.isArray(value) ? [] : [invalid(path, '<value omitted>', 'must be a valid JSON object')];
}

export function validateTolerations(tolerations: readonly V1DeviceToleration[] | undefined, path: FieldPath): FieldError[] {
  return (tolerations ?? []).flatMap(({ key = '', operator = '', value = '', effect = '' }, i) => {
    const at = path.index(i);
    const errors = key === '' ? [] : validateLabelName(key, at.child('key'));
    if (operator === 'Exists') {
      if (value !== '') errors.push(invalid(at.child('value'), value, 'must be empty for operator `Exists`'));
    } else if (operator === 'Equal') errors.push(...labelValue(value).map((message) => invalid(at.child('value'), value, message)));
    else if (operator === '') errors.push(required(at.child('operator')));
    else errors.push(notSupportedInOrder(at.child('operator'), operator, ['Equal', 'Exists']));
    if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupported(at.child('effect'), effect, EFFECTS));
    return errors;
  });
}

export function validateTaint({ key = '', value = '', effect = '' }: V1DeviceTaint, path: FieldPath): FieldError[] {
  const errors = validateLabelName(key, path.child('key'));
  errors.push(...labelValue(value).map((message) => invalid(path.child('value'), value, message)));
  if (effect === '') errors.push(required(path.child('effect')));
  else if (!EFFECTS.includes(effect)) errors.push(notSupported(path.child('effect'), effect, EFFECTS));
  return errors;
}

/** What must be, or may not be, for a device to be bound. */
export function validateBindingConditions(given: readonly string[] | undefined, givenFailures: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const conditions = given ?? [];
  const failures = givenFailures ?? [];
  const wanted = path.child('bindingConditions');
  const unwanted = path.child('bindingFailureConditions');
  const errors = [
    ...validateList(conditions, MAX_BINDING_CONDITIONS, validateLabelName, wanted),
    ...validateList(failures, MAX_BINDING_CONDITIONS, validateLabelName, unwanted),
  ];
  conditions.forEach((condition, i) => {
    if (conditions.indexOf(condition) < i) errors.push(duplicate(wanted.index(i), condition));
  });
  failures.forEach((condition, i) => {
    if (failures.indexOf(condition) < i) errors.push(duplicate(unwanted.index(i), condition));
    if (conditions.includes(condition)) errors.push(invalid(unwanted.index(i), condition, 'bindingFailureConditions must not overlap with bindingConditions'));
  });
  if (conditions.length === 0 && failures.length > 0) errors.push(invalid(wanted, given, 'bindingConditions are required to use bindingFailureConditions'));
  if (failures.length === 0 && conditions.length > 0) errors.push(invalid(unwanted, givenFailures, 'bindingFailureConditions are required to use bindingConditions'));
  return errors;
}
