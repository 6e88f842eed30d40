import type { V1JSONSchemaProps } from '../generated/types.js';
import { forbidden, invalid, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';

const MISSING_TYPE = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** A structural schema says the type of everything that it specifies. */
export function checkStructure(schema: V1JSONSchemaProps, path: FieldPath, errors: FieldError[]): void {
  checkLevel(schema, 'root', path, errors);
}

function checkLevel(schema: V1JSONSchemaProps, level: keyof typeof MISSING_TYPE, path: FieldPath, errors: FieldError[]): void {
  const { type = '', items, additionalProperties: additional } = schema;
  const typePath = path.child('type');
  if (type === 'array' && items === undefined) errors.push(required(path.child('items'), 'must be specified'));
  if (isSchema(items)) checkLevel(items, 'item', path.child('items'), errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) checkLevel(property, 'field', path.child('properties').key(name), errors);
  if (additional !== undefined && level === 'root') errors.push(forbidden(path.child('additionalProperties'), 'must not be used at the root'));
  if (isSchema(additional)) checkLevel(additional, 'field', path.child('additionalProperties'), errors);
  if (schema['x-kubernetes-embedded-resource'] && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(typePath, detail) : invalid(typePath, type, detail));
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields']) {
    errors.push(required(typePath, MISSING_TYPE[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object') errors.push(invalid(typePath, type, 'must be object at the root'));
}

function isSchema(value: unknown): value is V1JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
