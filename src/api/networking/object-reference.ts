import { validateDnsSubdomain, validatePathSegment } from '../core/validation/names.js';
import { required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';

/** A reference to an object of any kind, by group, kind and name. */
export interface TypedReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export function validateTypedReference(reference: TypedReference, path: FieldPath): FieldError[] {
  return [
    ...(reference.apiGroup === undefined ? [] : validateDnsSubdomain(reference.apiGroup, path.child('apiGroup'))),
    ...validateSegment(reference.kind, path.child('kind')),
    ...validateSegment(reference.name, path.child('name')),
  ];
}

/** A required part of a path. */
export function validateSegment(value: string | undefined, path: FieldPath): FieldError[] {
  return value ? validatePathSegment(value, path) : [required(path)];
}
