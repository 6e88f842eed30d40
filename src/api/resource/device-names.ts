import { validateCsiDriverName } from '../core/validation/csi-driver-name.js';
import { validateDnsSubdomain } from '../core/validation/names.js';
import { invalid, required, tooLong, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { cIdentifier } from '../meta/validation/text.js';
import { byteLength } from '../meta/validation/messages.js';

const MAX_POOL = 253;
const MAX_ID = 32;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Subdomains joined by slashes. */
export function validatePoolName(name: string | undefined, path: FieldPath): FieldError[] {
  if (!name) return [required(path)];
  return [...(name.length > MAX_POOL ? [tooLong(path, MAX_POOL)] : []), ...name.split('/').flatMap((part) => validateDnsSubdomain(part, path))];
}

/** Name of an attribute or capacity: a C identifier, with or without the domain of a driver. */
export function validateQualifiedName(name: string, path: FieldPath): FieldError[] {
  const parts = name.split('/');
  if (parts.length === 1) return validateIdentifier(name, path);
  if (parts.length > 2) return [];
  const [domain, id] = parts as [string, string];
  return [
    ...(domain === '' ? [invalid(path, '', 'the domain must not be empty')] : validateCsiDriverName(domain, path)),
    ...(id === '' ? [invalid(path, '', 'the name must not be empty')] : validateIdentifier(id, path)),
  ];
}

/** As {@link validateQualifiedName}; the domain may not be missing. */
export function validateFullName(name: string, path: FieldPath): FieldError[] {
  const errors = validateQualifiedName(name, path);
  if (!name.includes('/')) errors.push(invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash'));
  return errors;
}

export function validateShareId(id: string, path: FieldPath): FieldError[] {
  if (UUID.test(id)) return [];
  if (UUID.test(id.toLowerCase())) {
    return [invalid(path, id, 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters')];
  }
  return [invalid(path, id, `error validating uid: invalid UUID length: ${byteLength(id)}`)];
}

function validateIdentifier(id: string, path: FieldPath): FieldError[] {
  return [...(id.length > MAX_ID ? [tooLong(path, MAX_ID)] : []), ...cIdentifier(id).map((message) => invalid(path, id, message))];
}
