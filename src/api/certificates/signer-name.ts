import { invalid, required, tooLong, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { dns1123Label, dns1123Subdomain } from '../meta/validation/names.js';

const MAX_DOMAIN = 253;
const MAX_NAME = MAX_DOMAIN + 1 + (253 + 1 + 63);

/** Name of a signer: `example.com/signer-name`. */
export function validateSignerName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [required(path)];
  const segments = name.split('/');
  if (segments.length !== 2) return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const [domain, signer] = segments as [string, string];
  const errors: FieldError[] = domain.length > MAX_DOMAIN ? [tooLong(path, MAX_DOMAIN)] : [];
  const labels = domain.split('.');
  errors.push(...firstWrong(labels, domain, path, dns1123Label));
  if (labels.length < 2) errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  errors.push(...firstWrong(signer.split('.'), signer, path, dns1123Subdomain));
  if (name.length > MAX_NAME) errors.push(tooLong(path, MAX_NAME));
  return errors;
}

/** What is wrong with the first bad label. */
function firstWrong(labels: readonly string[], shown: string, path: FieldPath, rule: (label: string) => readonly string[]): FieldError[] {
  const label = labels.find((candidate) => rule(candidate).length > 0);
  return label === undefined ? [] : rule(label).map((message) => invalid(path, shown, `validating label "${label}": ${message}`));
}
