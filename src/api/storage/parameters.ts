import { invalid, required, tooLong, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { validateLabelName } from '../meta/validation/labels.js';
import { byteLength } from '../meta/validation/messages.js';

const MAX_ENTRIES = 512;
const MAX_BYTES = 256 * 1024;

/** Parameters that are handed to a driver: at most 512, together at most 256 KiB. */
export function validateParameters(parameters: Readonly<Record<string, string>> | undefined, mayBeEmpty: boolean, path: FieldPath): FieldError[] {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > MAX_ENTRIES) return [tooLong(path, MAX_ENTRIES)];
  const errors: FieldError[] = entries.filter(([key]) => key === '').map(([key]) => invalid(path, key, 'field can not be empty.'));
  if (entries.reduce((size, [key, value]) => size + byteLength(key) + byteLength(value), 0) > MAX_BYTES) errors.push(tooLong(path, MAX_BYTES));
  if (!mayBeEmpty && entries.length === 0) errors.push(required(path, 'must contain at least one key/value pair'));
  return errors;
}

/** Name of a driver or provisioner: a qualified name in any case. */
export function validateProvisioner(name: string | undefined, path: FieldPath): FieldError[] {
  return name ? validateLabelName(name.toLowerCase(), path) : [required(path)];
}
