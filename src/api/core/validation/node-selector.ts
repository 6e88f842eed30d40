import type { V1NodeSelector, V1NodeSelectorRequirement, V1NodeSelectorTerm } from '../../generated/types.js';
import { forbidden, invalid, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { labelValue, validateLabelName } from '../../meta/validation/labels.js';
import { validateDnsSubdomain } from './names.js';

export interface NodeSelectorOptions {
  /** Values that are no label values pass (stored before the rule existed). */
  readonly allowInvalidLabelValue?: boolean;
}

/** Rules of a node selector: at least one term, each of label and field requirements. */
export function validateNodeSelector(selector: V1NodeSelector, path: FieldPath, options: NodeSelectorOptions = {}): FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPath = path.child('nodeSelectorTerms');
  if (terms.length === 0) return [required(termsPath, 'must have at least one node selector term')];
  return terms.flatMap((term, i) => validateNodeSelectorTerm(term, termsPath.index(i), options));
}

/** True when a stored selector breaks the rule of label values, so that updates are let off. */
export function nodeSelectorHasInvalidLabelValue(selector: V1NodeSelector | undefined): boolean {
  return (selector?.nodeSelectorTerms ?? []).some((term) =>
    (term.matchExpressions ?? []).some((requirement) => (requirement.values ?? []).some((value) => labelValue(value).length > 0)));
}

/** Rules of one term, which may be empty. */
export function validateNodeSelectorTerm(term: V1NodeSelectorTerm, path: FieldPath, options: NodeSelectorOptions = {}): FieldError[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((requirement, i) => validateExpression(requirement, path.child('matchExpressions').index(i), options)),
    ...(term.matchFields ?? []).flatMap((requirement, i) => validateField(requirement, path.child('matchFields').index(i))),
  ];
}

function validateExpression(requirement: V1NodeSelectorRequirement, path: FieldPath, options: NodeSelectorOptions): FieldError[] {
  const values = requirement.values ?? [];
  const valuesPath = path.child('values');
  const errors: FieldError[] = [];
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) errors.push(forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) errors.push(required(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(path.child('operator'), requirement.operator ?? '', 'not a valid selector operator'));
  }
  errors.push(...validateLabelName(requirement.key ?? '', path.child('key')));
  if (options.allowInvalidLabelValue === true) return errors;
  values.forEach((value, i) => errors.push(...labelValue(value).map((message) => invalid(valuesPath.index(i), value, message))));
  return errors;
}

function validateField(requirement: V1NodeSelectorRequirement, path: FieldPath): FieldError[] {
  const values = requirement.values ?? [];
  const errors: FieldError[] = [];
  if (requirement.operator !== 'In' && requirement.operator !== 'NotIn') {
    errors.push(invalid(path.child('operator'), requirement.operator ?? '', 'not a valid selector operator'));
  } else if (values.length !== 1) {
    errors.push(required(path.child('values'), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  if (requirement.key !== 'metadata.name') errors.push(invalid(path.child('key'), requirement.key ?? '', 'not a valid field selector key'));
  else values.forEach((value, i) => errors.push(...validateDnsSubdomain(value, path.child('values').index(i))));
  return errors;
}
