import { parseApiVersion, type GroupVersionKind } from '../meta/object.js';
import { decodeError } from './decode-error.js';
import { NumberLiteral } from './number-literal.js';

const TYPE_META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * What a body says it is; parts it does not name are empty. As upstream, the names `apiVersion` and `kind` are found in any case here.
 * Throws `KUBE_CANNOT_DECODE`.
 */
export function readTypeMeta(value: unknown): GroupVersionKind {
  if (value === null) return { group: '', version: '', kind: '' };
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof NumberLiteral) {
    throw unreadable(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${TYPE_META}`);
  }
  const object = value as Record<string, unknown>;
  const apiVersion = readText(object, 'apiVersion');
  const kind = readText(object, 'kind');
  const parsed = parseApiVersion(apiVersion);
  if (parsed === undefined) throw decodeError(`unexpected GroupVersion string: ${apiVersion}`);
  return { group: parsed.group, version: parsed.version, kind };
}

/**
 * Fills in what a body leaves out: the kind, and the group version when it names neither group nor version (or the same group without version).
 */
export function withDefaults(actual: GroupVersionKind, expected: GroupVersionKind): GroupVersionKind {
  const kind = actual.kind === '' ? expected.kind : actual.kind;
  if (actual.version === '' && (actual.group === '' || actual.group === expected.group)) return { group: expected.group, version: expected.version, kind };
  return kind === actual.kind ? actual : { ...actual, kind };
}

/** Puts upstream's prefix before the error of a body that is no JSON at all. */
export function unreadable(message: string): Error {
  return decodeError(`couldn't get version/kind; json parse error: ${message}`);
}

function readText(object: Record<string, unknown>, name: string): string {
  let found = '';
  const folded = name.toLowerCase();
  for (const key in object) {
    // Nothing longer or shorter becomes the name by changing its case.
    if (key !== name && (key.length !== name.length || key.toLowerCase() !== folded)) continue;
    const value = object[key];
    if (typeof value === 'string') found = value;
    else if (value !== null && value !== undefined) throw unreadable(`json: cannot unmarshal ${jsonKind(value)} into Go struct field .${name} of type string`);
  }
  return found;
}

/** What kind of JSON value it is, in upstream's words. */
export function jsonKind(value: unknown): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || value instanceof NumberLiteral) return 'number';
  return Array.isArray(value) ? 'array' : 'object';
}
