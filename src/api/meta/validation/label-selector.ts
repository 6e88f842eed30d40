import type { V1LabelSelector, V1LabelSelectorRequirement } from '../../generated/types.js';
import { forbidden, invalid, required, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { labelValue, validateLabelName, validateLabels } from './labels.js';

/** Rules of `LabelSelector` and of the requirements of selectors. */
export interface LabelSelectorOptions {
  /** Values that are no label values pass (objects stored before the rule existed). */
  readonly allowInvalidLabelValueInSelector?: boolean;
  /** Operators that nobody knows pass (access reviews). */
  readonly allowUnknownOperator?: boolean;
}

/** True when a requirement's value is no label value: then updates of the object are let off the rule. */
export function selectorHasInvalidLabelValue(selector: V1LabelSelector | undefined): boolean {
  return (selector?.matchExpressions ?? []).some((requirement) => (requirement.values ?? []).some((value) => labelValue(value).length > 0));
}

/** An absent selector has no errors. */
export function validateLabelSelector(selector: V1LabelSelector | undefined, path: FieldPath, options: LabelSelectorOptions = {}): FieldError[] {
  if (selector === undefined || selector === null) return [];
  const errors = validateLabels(selector.matchLabels, path.child('matchLabels'));
  (selector.matchExpressions ?? []).forEach((requirement, i) => {
    errors.push(...validateLabelSelectorRequirement(requirement, path.child('matchExpressions').index(i), options));
  });
  return errors;
}

/** One element of `matchExpressions`. */
export function validateLabelSelectorRequirement(requirement: V1LabelSelectorRequirement, path: FieldPath, options: LabelSelectorOptions = {}): FieldError[] {
  const errors = validateOperator(requirement, path, options);
  errors.push(...validateLabelName(requirement.key ?? '', path.child('key')));
  if (options.allowInvalidLabelValueInSelector !== true) {
    (requirement.values ?? []).forEach((value, i) => {
      for (const message of labelValue(value)) errors.push(invalid(path.child('values').index(i), value, message));
    });
  }
  return errors;
}

/** One requirement of a field selector in an access review. */
export function validateFieldSelectorRequirement(requirement: V1LabelSelectorRequirement, path: FieldPath, options: LabelSelectorOptions = {}): FieldError[] {
  const errors: FieldError[] = [];
  if ((requirement.key ?? '') === '') errors.push(required(path.child('key'), 'must be specified'));
  errors.push(...validateOperator(requirement, path, options));
  return errors;
}

function validateOperator(requirement: V1LabelSelectorRequirement, path: FieldPath, options: LabelSelectorOptions): FieldError[] {
  const count = requirement.values?.length ?? 0;
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      return count === 0 ? [required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")] : [];
    case 'Exists':
    case 'DoesNotExist':
      return count > 0 ? [forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")] : [];
    default:
      return options.allowUnknownOperator === true ? [] : [invalid(path.child('operator'), requirement.operator ?? '', 'not a valid selector operator')];
  }
}
