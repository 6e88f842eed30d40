import { invalid, required, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { labelKey } from './labels.js';
import { EMPTY_MESSAGE, maxCharactersMessage, OK, patternMessage, type Messages } from './messages.js';
import { dns1123Label, dns1123Subdomain } from './names.js';

/** Text of other kinds: names of environment variables, keys of config maps, HTTP headers, domain names and prefixed paths. */
const CONFIG_MAP_KEY_MESSAGE = patternMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'", '[-._a-zA-Z0-9]+', 'key.name', 'KEY_NAME', 'key-name');
const C_IDENTIFIER_MESSAGE = patternMessage(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  '[A-Za-z_][A-Za-z0-9_]*', 'my_name', 'MY_NAME', 'MyName');
const HEADER_MESSAGE = patternMessage("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', 'X-Header-Name');
const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const RELAXED_ENV_MESSAGE = "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** The rule since 1.34: any printable ASCII but `=`. */
export function envVarName(name: string): Messages {
  if (name === '') return [`environment variable name ${EMPTY_MESSAGE}`];
  return /^[\x20-\x3c\x3e-\x7e]*$/.test(name) ? OK : [RELAXED_ENV_MESSAGE];
}

/** Keys of ConfigMap and Secret data. */
export function configMapKey(key: string): Messages {
  const messages: string[] = [];
  if (key.length > 253) messages.push(maxCharactersMessage(253));
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) messages.push(CONFIG_MAP_KEY_MESSAGE);
  messages.push(...parentDirectoryPrefix(key));
  return messages.length === 0 ? OK : messages;
}

export function cIdentifier(value: string): Messages {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(value) ? OK : [C_IDENTIFIER_MESSAGE];
}

export function httpHeaderName(value: string): Messages {
  return /^[-A-Za-z0-9]+$/.test(value) ? OK : [HEADER_MESSAGE];
}

/** A domain with at least three segments (signer names and the like). */
export function validateFullyQualifiedName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [required(path)];
  const messages = dns1123Subdomain(name);
  if (messages.length > 0) return [invalid(path, name, messages.join(','))];
  return name.split('.').length < 3 ? [invalid(path, name, 'should be a domain with at least three segments separated by dots')] : [];
}

/** A domain with at least two segments; a final dot is let pass. */
export function validateFullyQualifiedDomainName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [required(path)];
  const domain = name.endsWith('.') ? name.slice(0, -1) : name;
  const messages = dns1123Subdomain(domain);
  if (messages.length > 0) return [invalid(path, domain, messages.join(','))];
  const labels = domain.split('.');
  if (labels.length < 2) return [invalid(path, domain, 'should be a domain with at least two segments separated by dots')];
  for (const label of labels) {
    const wrong = dns1123Label(label);
    if (wrong.length > 0) return [invalid(path, label, wrong.join(','))];
  }
  return [];
}

/** `acme.io/foo`: a domain and an HTTP path. */
export function validateDomainPrefixedPath(value: string, path: FieldPath): FieldError[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const host = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  const errors = dns1123Subdomain(host).map((message) => invalid(path, host, message));
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest)) errors.push(invalid(path, rest, patternMessage('Invalid path', HTTP_PATH)));
  return errors;
}

/** `acme.io/foo`: a label key that must have its prefix. */
export function validateDomainPrefixedKey(key: string, path: FieldPath): FieldError[] {
  if (key === '') return [required(path)];
  const errors = labelKey(key).map((message) => invalid(path, key, message));
  if (errors.length > 0) return errors;
  return key.includes('/') ? [] : [invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}

function parentDirectoryPrefix(value: string): Messages {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : OK;
}
