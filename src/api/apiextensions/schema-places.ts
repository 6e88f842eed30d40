import type { Steps } from '../../base/steps.js';
import type { V1JSONSchemaProps } from '../generated/types.js';
import { FieldPath } from '../meta/field-path.js';
import type { Surround } from './default-validation.js';
import type { SchemaLevel } from './schema-structure.js';

const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind']);

/** What is checked of one schema, beside what it says itself. */
export interface Place {
  readonly schema: V1JSONSchemaProps;
  readonly path: FieldPath;
  /** Undefined: an alternative, or something that is not supported; it is no part of the structure. */
  readonly level: SchemaLevel | undefined;
  /** Why it must have no default. */
  readonly noDefault: string;
  /** It is about values of a map, or something inside them. */
  readonly inMap: boolean;
  /** It is part of the metadata of an object. */
  readonly inMetadata: boolean;
  /** Makes an object of a value at this place, where it is part of metadata. */
  readonly surround: Surround | undefined;
}

/** A schema and all schemas inside it. They may be nested as deep as they like. */
export function* places(schema: V1JSONSchemaProps, path: FieldPath): Generator<Place> {
  const pending: Place[] = [{ schema, path, level: 'root', noDefault: '', inMap: false, inMetadata: false, surround: undefined }];
  for (let place = pending.pop(); place; place = pending.pop()) {
    yield place;
    const found = inside(place);
    for (let i = found.length - 1; i >= 0; i--) pending.push(found[i]!);
  }
}

/** Whether there are default values in a schema, one step after the other. */
export function* hasDefaults(schema: V1JSONSchemaProps): Steps<boolean> {
  for (const { schema: part } of places(schema, FieldPath.root)) {
    if (part.default !== undefined) return true;
    yield;
  }
  return false;
}

function inside(place: Place): Place[] {
  const { schema, path, level, noDefault, inMap, inMetadata, surround } = place;
  const { items, additionalProperties: additional } = schema;
  const found: Place[] = [];
  const beside = (part: V1JSONSchemaProps, at: FieldPath): void => void found.push({ schema: part, path: at, level: undefined, noDefault, inMap, inMetadata, surround: undefined });
  if (isSchema(additional)) {
    found.push({ schema: additional, path: path.child('additionalProperties'), level: level && 'field', noDefault: inMetadata ? ' inside additionalProperties applying to object metadata' : noDefault, inMap: true, inMetadata, surround });
  }
  const embedded = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const ofObject = embedded && META_FIELDS.has(name);
    const outer = embedded ? (value: unknown) => value : surround;
    found.push({
      schema: property,
      path: path.child('properties').key(name),
      level: level && 'field',
      noDefault: ofObject && level === 'root' ? ` in top-level ${name}` : noDefault,
      inMap,
      inMetadata: inMetadata || ofObject,
      surround: ofObject ? (value) => ({ apiVersion: 'validation/v1', kind: 'Validation', [name]: value }) : embedded ? undefined : outer && ((value) => outer({ [name]: value })),
    });
  }
  if (schema.not) beside(schema.not, path.child('not'));
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const) schema[junctor]?.forEach((part, i) => beside(part, path.child(junctor).index(i)));
  for (const [name, part] of Object.entries(schema.definitions ?? {})) beside(part, path.child('definitions').key(name));
  for (const [name, part] of Object.entries((schema.dependencies ?? {}) as Readonly<Record<string, unknown>>)) if (isSchema(part)) beside(part, path.child('dependencies').key(name));
  if (Array.isArray(items)) (items as readonly V1JSONSchemaProps[]).forEach((item, i) => beside(item, path.child('items').index(i)));
  else if (isSchema(items)) found.push({ schema: items, path: path.child('items'), level: level && 'item', noDefault, inMap, inMetadata, surround: surround && ((value) => surround([value])) });
  return found;
}

/** Why no structural schema can be made of a schema; empty: nothing speaks against it. */
export function unsupportedText(schema: V1JSONSchemaProps): string {
  if (schema.id) return "OpenAPIV3Schema 'id' is not supported";
  for (const field of ['$ref', 'additionalItems', 'dependencies'] as const) if (schema[field] !== undefined) return `OpenAPIV3Schema '${field}' is not supported`;
  for (const field of ['patternProperties', 'definitions'] as const) if (Object.keys(schema[field] ?? {}).length > 0) return `OpenAPIV3Schema '${field}' is not supported`;
  return Array.isArray(schema.items) && schema.items.length > 0 ? "OpenAPIV3Schema 'items' must be a schema, but is an array" : '';
}

function isSchema(value: unknown): value is V1JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
