import type { V1OwnerReference } from '../../generated/types.js';
import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { parseApiVersion } from '../object.js';

/** Rules of `metadata.ownerReferences`: all errors but the four empty ones are at `path` itself. */
export function validateOwnerReferences(references: readonly V1OwnerReference[] | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const reference of references ?? []) {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') controller = name;
    else {
      errors.push(invalid(path, references,
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`));
    }
  }
  return errors;
}

function validateOwnerReference(reference: V1OwnerReference, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const gv = parseApiVersion(reference.apiVersion ?? '') ?? { group: '', version: '' };
  if (gv.version === '') errors.push(invalid(path.child('apiVersion'), reference.apiVersion ?? '', 'version must not be empty'));
  if (!reference.kind) errors.push(invalid(path.child('kind'), '', 'must not be empty'));
  if (!reference.name) errors.push(invalid(path.child('name'), '', 'must not be empty'));
  if (!reference.uid) errors.push(invalid(path.child('uid'), '', 'must not be empty'));
  if (gv.group === '' && gv.version === 'v1' && reference.kind === 'Event') {
    errors.push(invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}
