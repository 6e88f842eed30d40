import type { V1CustomResourceDefinitionNames } from '../generated/types.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { dns1035Label } from '../meta/validation/names.js';

const MIXED_CASE = 'may have mixed case, but should otherwise match: ';

/** Rules of the names of a custom resource; that they are there is the caller's business. */
export function validateDefinitionNames(names: V1CustomResourceDefinitionNames | undefined, path: FieldPath): FieldError[] {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names ?? {};
  return [
    ...validateLabel(plural, path.child('plural')),
    ...validateLabel(singular, path.child('singular')),
    ...validateKind(kind, path.child('kind')),
    ...validateKind(listKind, path.child('listKind')),
    ...shortNames.flatMap((name, i) => validateEachLabel(name, path.child('shortNames').index(i))),
    ...(kind !== '' && kind === listKind ? [invalid(path.child('listKind'), listKind, 'kind and listKind may not be the same')] : []),
    ...categories.flatMap((name, i) => validateEachLabel(name, path.child('categories').index(i))),
  ];
}

function validateEachLabel(value: string, path: FieldPath): FieldError[] {
  const wrong = dns1035Label(value);
  return wrong.length > 0 ? [invalid(path, value, wrong.join(','))] : [];
}

function validateLabel(value: string, path: FieldPath): FieldError[] {
  return value === '' ? [] : validateEachLabel(value, path);
}

function validateKind(value: string, path: FieldPath): FieldError[] {
  const wrong = value === '' ? [] : dns1035Label(value.toLowerCase());
  return wrong.length > 0 ? [invalid(path, value, `${MIXED_CASE}${wrong.join(',')}`)] : [];
}
