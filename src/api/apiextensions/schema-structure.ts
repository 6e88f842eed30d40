import type { Steps } from '../../base/steps.js';
import type { V1JSONSchemaProps } from '../generated/types.js';
import { forbidden, invalid, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { Pace } from './structural/pace.js';
import { checkPattern } from './structural/pattern-program.js';

/** Where a schema stands in that of an object. */
export type SchemaLevel = 'root' | 'item' | 'field';

const MISSING_TYPE: Readonly<Record<SchemaLevel, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};
const IMPLICIT_METADATA = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
/** What alternatives may not say: a structural schema says it outside of them. */
const FORBIDDEN_IN_ALTERNATIVES: readonly (readonly [keyof V1JSONSchemaProps, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/** Rules of structural schemas for one schema, without those inside it that are checked on their own: fields, items and values of maps. With pauses: alternatives may be many. */
export function* checkStructure(schema: V1JSONSchemaProps, level: SchemaLevel, path: FieldPath, errors: FieldError[]): Steps<void> {
  const { type = '', items, additionalProperties: additional, properties = {} } = schema;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const typePath = path.child('type');
  if (type === 'array' && items === undefined) errors.push(required(path.child('items'), 'must be specified'));
  if (additional !== undefined && level === 'root') errors.push(forbidden(path.child('additionalProperties'), 'must not be used at the root'));
  if (intOrString && preserves) errors.push(invalid(path.child('x-kubernetes-preserve-unknown-fields'), true, 'must be false if x-kubernetes-int-or-string is true'));
  if (intOrString && embedded) errors.push(invalid(path.child('x-kubernetes-embedded-resource'), true, 'must be false if x-kubernetes-int-or-string is true'));
  const pace = new Pace();
  yield* checkValues(schema, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf), path, errors, pace);
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(typePath, detail) : invalid(typePath, type, detail));
  } else if (type === '' && !intOrString && !preserves) errors.push(required(typePath, MISSING_TYPE[level]));
  if (embedded && additional !== undefined) errors.push(forbidden(path.child('additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'));
  if (level === 'root' && type !== '' && type !== 'object') errors.push(invalid(typePath, type, 'must be object at the root'));
  if (level === 'root' || embedded) checkObjectFields(properties, level, path.child('properties'), errors);
  if (embedded && !preserves && Object.keys(properties).length === 0) {
    errors.push(required(path.child('properties'), 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'));
  }
  if (level === 'root') yield* checkCompleteness(schema, schema, path, path, errors, pace);
}

/** What every API object has may hardly be restricted. */
function checkObjectFields(properties: Readonly<Record<string, V1JSONSchemaProps>>, level: SchemaLevel, path: FieldPath, errors: FieldError[]): void {
  for (const name of ['kind', 'apiVersion']) {
    const property = own(properties, name);
    if (property && property.type !== 'string') errors.push(invalid(path.key(name).child('type'), property.type ?? '', 'must be string'));
  }
  const metadata = own(properties, 'metadata');
  if (!metadata) return;
  if (metadata.type !== 'object') errors.push(invalid(path.key('metadata').child('type'), metadata.type ?? '', 'must be object'));
  if (level !== 'root') return;
  const { type: _type, default: _default, properties: fields = {}, ...rest } = metadata;
  const restricts = Object.keys(fields).some((name) => name !== 'name' && name !== 'generateName');
  if (restricts || Object.values(rest).some((value) => !isZero(value))) errors.push(forbidden(path.key('metadata'), IMPLICIT_METADATA));
}

/** Rules of what values may be. */
function* checkValues(schema: V1JSONSchemaProps, skipAnyOf: boolean, skipFirstAllOf: boolean, path: FieldPath, errors: FieldError[], pace: Pace): Steps<void> {
  for (const junctor of ['anyOf', 'allOf', 'oneOf'] as const) {
    const parts = junctor === 'anyOf' && skipAnyOf ? [] : (schema[junctor] ?? []);
    for (let i = 0; i < parts.length; i++) yield* checkAlternative(parts[i]!, junctor === 'allOf' && skipFirstAllOf && i === 0, path.child(junctor).index(i), errors, pace);
  }
  if (schema.not) yield* checkAlternative(schema.not, false, path.child('not'), errors, pace);
  if (!schema.pattern) return;
  const wrong = checkPattern(schema.pattern);
  if (wrong !== undefined) errors.push(invalid(path.child('pattern'), schema.pattern, `must be a valid regular expression, but isn't: ${wrong}`));
}

function* checkAlternative(schema: V1JSONSchemaProps, skipAnyOf: boolean, path: FieldPath, errors: FieldError[], pace: Pace): Steps<void> {
  if (pace.due()) yield;
  yield* checkValues(schema, skipAnyOf, false, path, errors, pace);
  const { items, properties } = schema;
  if (isSchema(items)) yield* checkAlternative(items, false, path.child('items'), errors, pace);
  for (const [name, part] of Object.entries(properties ?? {})) yield* checkAlternative(part, false, path.child('properties').key(name), errors, pace);
  for (const [field, message] of FORBIDDEN_IN_ALTERNATIVES) {
    const value = schema[field];
    // `additionalProperties: false` says something, too.
    if (field === 'additionalProperties' ? value !== undefined : field === 'default' ? value !== undefined && value !== null : !isZero(value)) errors.push(forbidden(path.child(field), message));
  }
  if (own(properties, 'metadata')) errors.push(forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context'));
}

/** What alternatives say about a field or about items, the schema outside of them must know. */
function* checkCompleteness(values: V1JSONSchemaProps, schema: V1JSONSchemaProps, path: FieldPath, at: FieldPath, errors: FieldError[], pace: Pace): Steps<void> {
  if (values.not) yield* nested(values.not, schema, path, at.child('not'), errors, pace);
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    const parts = values[junctor] ?? [];
    for (let i = 0; i < parts.length; i++) yield* nested(parts[i]!, schema, path, at.child(junctor).index(i), errors, pace);
  }
}

function* nested(part: V1JSONSchemaProps, schema: V1JSONSchemaProps, path: FieldPath, at: FieldPath, errors: FieldError[], pace: Pace): Steps<void> {
  if (pace.due()) yield;
  yield* checkCompleteness(part, schema, path, at, errors, pace);
  for (const [name, field] of Object.entries(part.properties ?? {})) {
    const known = own(schema.properties, name);
    const fieldPath = path.child('properties').key(name);
    const fieldAt = at.child('properties').key(name);
    if (known === undefined) errors.push(required(fieldPath, `because it is defined in ${fieldAt.toString()}`));
    else yield* nested(field, known, fieldPath, fieldAt, errors, pace);
  }
  if (!isSchema(part.items)) return;
  if (isSchema(schema.items)) yield* nested(part.items, schema.items, path.child('items'), at.child('items'), errors, pace);
  else errors.push(required(path.child('items'), `because it is defined in ${at.child('items').toString()}`));
}

function isIntOrString(parts: readonly V1JSONSchemaProps[] | undefined): boolean {
  const [first, second] = parts ?? [];
  return parts?.length === 2 && onlyType(first!, 'integer') && onlyType(second!, 'string');
}

function onlyType({ type, ...rest }: V1JSONSchemaProps, wanted: string): boolean {
  return type === wanted && Object.values(rest).every(isZero);
}

/** What upstream's types cannot tell from nothing. */
function isZero(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);
}

function own(properties: Readonly<Record<string, V1JSONSchemaProps>> | undefined, name: string): V1JSONSchemaProps | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function isSchema(value: unknown): value is V1JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
