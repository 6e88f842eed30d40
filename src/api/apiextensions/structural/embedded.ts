import { decodeError, isDecodeError } from '../../codec/decode-error.js';
import { badValueText, invalid, required, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import { parseApiVersion } from '../../meta/object.js';
import { dns1035Label, nameIsPathSegment } from '../../meta/validation/names.js';
import { validateObjectMeta } from '../../meta/validation/object-meta.js';
import type { V1JSONSchemaProps, V1ObjectMeta } from '../../generated/types.js';
import type { SchemaNode } from './schema-node.js';

type Dictionary = Record<string, unknown>;

/** Brings metadata into the form of its type. `unknown`: fields that it does not have, as paths inside it. Throws `KUBE_CANNOT_DECODE`. */
export type MetadataCheck = (metadata: unknown, strict: boolean) => { readonly metadata: unknown; readonly unknown: readonly string[] };

/** Whether objects inside the object may be whole API objects. Looks at all of the schema. */
export function hasEmbedded(schema: V1JSONSchemaProps): boolean {
  if (schema['x-kubernetes-embedded-resource']) return true;
  const { items, additionalProperties, properties } = schema;
  if (isSchema(items) && hasEmbedded(items)) return true;
  if (isSchema(additionalProperties) && hasEmbedded(additionalProperties)) return true;
  return Object.values(properties ?? {}).some(hasEmbedded);
}

/** Brings, in place, the metadata of embedded objects into form. Returns the unknown fields in them, sorted. */
export function coerceEmbedded(object: unknown, node: SchemaNode, check: MetadataCheck, strict: boolean): string[] {
  const unknown: string[] = [];
  // The object itself is the caller's business.
  visitChildren(object, node, FieldPath.root, (value, path) => {
    for (const name of ['apiVersion', 'kind']) {
      if (Object.hasOwn(value, name) && typeof value[name] !== 'string') throw decodeError(`${path.child(name).toString()}: Invalid value: ${badValueText(value[name])}: must be a string`);
    }
    if (!Object.hasOwn(value, 'metadata')) return;
    const at = path.child('metadata').toString();
    const checked = checkedAt(at, value['metadata'], () => check(value['metadata'], strict));
    value['metadata'] = checked.metadata;
    for (const name of checked.unknown) unknown.push(`${at}.${name}`);
  });
  return unknown.sort();
}

/** What is wrong says where it is. */
function checkedAt<T>(at: string, value: unknown, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw isDecodeError(error) ? decodeError(`${at}: Invalid value: ${badValueText(value)}: ${error.message}`) : error;
  }
}

/** Rules of embedded objects: they say what they are, and their metadata is right. `itself`: so does the object. */
export function validateEmbedded(object: unknown, node: SchemaNode, itself = false, at = FieldPath.root): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (value: Dictionary, path: FieldPath): void => {
    for (const name of ['apiVersion', 'kind']) if (!Object.hasOwn(value, name)) errors.push(required(path.child(name)));
    if (Object.hasOwn(value, 'apiVersion')) errors.push(...typeErrors(value['apiVersion'], path.child('apiVersion'), apiVersionProblem));
    if (Object.hasOwn(value, 'kind')) errors.push(...typeErrors(value['kind'], path.child('kind'), kindProblem));
    const meta = value['metadata'] as V1ObjectMeta | undefined;
    if (meta === undefined) return;
    const named = meta.name ? meta : { ...meta, name: 'fakename' };
    errors.push(...validateObjectMeta(named, { namespaced: Boolean(meta.namespace), validateName: nameIsPathSegment, path: path.child('metadata') }));
  };
  if (itself && typeof object === 'object' && object !== null && !Array.isArray(object)) visit(object as Dictionary, at);
  visitChildren(object, node, at, visit);
  return errors;
}

function typeErrors(value: unknown, path: FieldPath, problem: (text: string) => string | undefined): FieldError[] {
  if (typeof value !== 'string') return [invalid(path, value, 'must be a string')];
  const wrong = value === '' ? 'must not be empty' : problem(value);
  return wrong === undefined ? [] : [invalid(path, value, wrong)];
}

function apiVersionProblem(text: string): string | undefined {
  return parseApiVersion(text) ? undefined : `unexpected GroupVersion string: ${text}`;
}

function kindProblem(text: string): string | undefined {
  const wrong = dns1035Label(text.toLowerCase());
  return wrong.length > 0 ? `may have mixed case, but should otherwise match: ${wrong.join(',')}` : undefined;
}

/** Calls `visit` for each embedded object below a value. */
function visitChildren(value: unknown, node: SchemaNode | undefined, path: FieldPath, visit: (value: Dictionary, path: FieldPath) => void): void {
  if (typeof value !== 'object' || value === null || node === undefined) return;
  const each = (child: unknown, schema: SchemaNode | undefined, at: FieldPath): void => {
    if (schema?.embedded && typeof child === 'object' && child !== null && !Array.isArray(child)) visit(child as Dictionary, at);
    visitChildren(child, schema, at, visit);
  };
  if (Array.isArray(value)) {
    value.forEach((item, i) => each(item, node.items, path.index(i)));
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    if (typeof child !== 'object') continue;
    const own = node.property(key);
    each(child, own ?? node.additional, own ? path.child(key) : path.key(key));
  }
}

function isSchema(value: unknown): value is V1JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
