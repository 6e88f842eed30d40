import { invalid, required, tooLong, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { byteLength } from '../../meta/validation/messages.js';
import { dns1123Label, dns1123Subdomain } from '../../meta/validation/names.js';

/** True for signers in the domain `kubernetes.io` or below. */
export function isKubernetesSigner(name: string): boolean {
  const host = name.split('/', 1)[0]!;
  return host === 'kubernetes.io' || host.endsWith('.kubernetes.io');
}

/** `example.com/signer-name`. */
export function checkSignerName(name: string, path: FieldPath, errors: FieldError[]): void {
  if (name === '') return void errors.push(required(path));
  const segments = name.split('/');
  if (segments.length !== 2) {
    return void errors.push(invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"));
  }
  const [domain, rest] = segments as [string, string];
  if (byteLength(domain) > 253) errors.push(tooLong(path, 253));
  const labels = domain.split('.');
  const bad = labels.find((label) => dns1123Label(label).length > 0);
  if (bad !== undefined) for (const message of dns1123Label(bad)) errors.push(invalid(path, domain, `validating label "${bad}": ${message}`));
  if (labels.length < 2) errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  const badRest = rest.split('.').find((label) => dns1123Subdomain(label).length > 0);
  if (badRest !== undefined) for (const message of dns1123Subdomain(badRest)) errors.push(invalid(path, rest, `validating label "${badRest}": ${message}`));
  // Domain, slash, and a namespace and name joined by a dot.
  const longest = 253 + 253 + 63 + 1 + 1;
  if (byteLength(name) > longest) errors.push(tooLong(path, longest));
}
