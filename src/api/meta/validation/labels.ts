import { invalid, tooLong, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { byteLength, EMPTY_MESSAGE, maxBytesMessage, maxCharactersMessage, OK, patternMessage, type Messages } from './messages.js';
import { dns1123Subdomain } from './names.js';

/** Label keys and values, maps of labels, annotations. */
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const NAME_RE = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const NAME_MAX = 63;
const PREFIX_TOO_LONG = maxCharactersMessage(253);
const NAME_MESSAGE = patternMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  NAME, 'MyName', 'my.name', '123-abc');
const VALUE_MESSAGE = patternMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${NAME})?`, 'MyValue', 'my_value', '12345');

/** All annotations of an object together, keys and values. */
export const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** A "qualified name": a name of at most 63 bytes with an optional `subdomain/` before it. The rule of label keys, finalizers, resource names, condition types. */
export function labelKey(value: string): Messages {
  const slash = value.indexOf('/');
  if (slash < 0 && value.length <= NAME_MAX && NAME_RE.test(value)) return OK;
  const messages: string[] = [];
  let name = value;
  if (slash >= 0) {
    name = value.slice(slash + 1);
    if (name.includes('/')) return [`a valid label key ${NAME_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
    const prefix = value.slice(0, slash);
    if (prefix === '') messages.push(`prefix part ${EMPTY_MESSAGE}`);
    // The limit of the prefix is told in bytes here, unlike where a subdomain stands alone.
    else for (const message of dns1123Subdomain(prefix)) messages.push(`prefix part ${message === PREFIX_TOO_LONG ? maxBytesMessage(253) : message}`);
  }
  if (name === '') messages.push(`name part ${EMPTY_MESSAGE}`);
  else if (byteLength(name) > NAME_MAX) messages.push(`name part ${maxBytesMessage(NAME_MAX)}`);
  if (!NAME_RE.test(name)) messages.push(`name part ${NAME_MESSAGE}`);
  return messages.length === 0 ? OK : messages;
}

/** The same rule under its other name. */
export const qualifiedName = labelKey;

/** A label's value: empty, or at most 63 bytes of the alphabet of names. */
export function labelValue(value: string): Messages {
  if (value === '' || (value.length <= NAME_MAX && NAME_RE.test(value))) return OK;
  const messages: string[] = [];
  if (byteLength(value) > NAME_MAX) messages.push(maxBytesMessage(NAME_MAX));
  if (!NAME_RE.test(value)) messages.push(VALUE_MESSAGE);
  return messages;
}

/** One label key as a field. */
export function validateLabelName(name: string, path: FieldPath): FieldError[] {
  return labelKey(name).map((message) => invalid(path, name, message));
}

/** A map of labels: every error is at `path` itself. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (labels === undefined) return errors;
  for (const key in labels) {
    for (const message of labelKey(key)) errors.push(invalid(path, key, message));
    for (const message of labelValue(labels[key]!)) errors.push(invalid(path, labels[key], message));
  }
  return errors;
}

/** Keys of annotations follow the rule of label keys, in any case; their total size is limited. */
export function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (annotations === undefined) return errors;
  let total = 0;
  for (const key in annotations) {
    for (const message of labelKey(key.toLowerCase())) errors.push(invalid(path, key, message));
    total += byteLength(key) + byteLength(annotations[key]!);
  }
  if (total > ANNOTATIONS_MAX_BYTES) errors.push(tooLong(path, ANNOTATIONS_MAX_BYTES));
  return errors;
}
