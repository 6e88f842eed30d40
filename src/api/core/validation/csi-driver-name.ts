import { invalid, required, tooLong, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { dns1123Subdomain } from '../../meta/validation/names.js';

const MAX_BYTES = 63;

/** The name of a CSI driver: a subdomain in any case, at most 63 bytes. */
export function validateCsiDriverName(name: string | undefined, path: FieldPath): FieldError[] {
  if (!name) return [required(path)];
  return [
    ...(Buffer.byteLength(name) > MAX_BYTES ? [tooLong(path, MAX_BYTES)] : []),
    ...dns1123Subdomain(name.toLowerCase()).map((message) => invalid(path, name, message)),
  ];
}
