import type { V1NonResourceAttributes, V1ObjectMeta, V1ResourceAttributes } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateFieldSelectorRequirement, validateLabelSelectorRequirement } from '../meta/validation/label-selector.js';

const SPEC = FieldPath.of('spec');

/** What all access reviews ask about. */
export interface AccessReviewSpec {
  readonly resourceAttributes?: V1ResourceAttributes;
  readonly nonResourceAttributes?: V1NonResourceAttributes;
}

/** Exactly one of resource and path. */
export function validateAttributesChoice(spec: AccessReviewSpec): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const shown = { Path: nonResourceAttributes.path ?? '', Verb: nonResourceAttributes.verb ?? '' };
    return [invalid(SPEC.child('nonResourceAttributes'), shown, 'cannot be specified in combination with resourceAttributes')];
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    return [invalid(SPEC.child('resourceAttributes'), null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')];
  }
  return [];
}

/** Selectors within the resource attributes. */
export function validateResourceAttributes(attributes: V1ResourceAttributes | undefined): FieldError[] {
  if (attributes === undefined) return [];
  const rules = { fieldSelector: validateFieldSelectorRequirement, labelSelector: validateLabelSelectorRequirement } as const;
  return (['fieldSelector', 'labelSelector'] as const).flatMap((field) => {
    const selector = attributes[field];
    if (selector === undefined) return [];
    const path = SPEC.child('resourceAttributes', field);
    const { rawSelector = '', requirements = [] } = selector;
    const errors: FieldError[] = [];
    if (rawSelector !== '' && requirements.length > 0) {
      errors.push(invalid(path.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements'));
    }
    if (rawSelector === '' && requirements.length === 0) {
      errors.push(required(path.child('requirements'), `when ${path} is specified, requirements or rawSelector is required`));
    }
    requirements.forEach((requirement, i) => errors.push(...rules[field](requirement, path.child('requirements').index(i), { allowUnknownOperator: true })));
    return errors;
  });
}

/** Reviews are not stored: they have no metadata, save where `allowed` says so. */
export function validateNoMetadata(metadata: V1ObjectMeta | undefined, detail: string, allowed: readonly (keyof V1ObjectMeta)[] = []): FieldError[] {
  const rest: Record<string, unknown> = { ...metadata };
  for (const field of ['managedFields', ...allowed]) delete rest[field];
  return deepEqual(rest, {}) ? [] : [invalid(FieldPath.of('metadata'), metadata, detail)];
}
