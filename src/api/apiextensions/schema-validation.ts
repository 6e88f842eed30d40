import type { V1JSONSchemaProps, V1ValidationRule } from '../generated/types.js';
import { forbidden, invalid, notSupported, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { checkStructure } from './schema-structure.js';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

/** Fields in upstream's order; the first that may not be at the root is reported. */
const FIELDS = [
  'id', '$schema', '$ref', 'description', 'type', 'nullable', 'format', 'title', 'default', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength',
  'minLength', 'pattern', 'maxItems', 'minItems', 'uniqueItems', 'multipleOf', 'enum', 'maxProperties', 'minProperties', 'required', 'items', 'allOf', 'oneOf', 'anyOf',
  'not', 'properties', 'additionalProperties', 'patternProperties', 'dependencies', 'additionalItems', 'definitions', 'externalDocs', 'example',
  'x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string', 'x-kubernetes-list-map-keys', 'x-kubernetes-list-type',
  'x-kubernetes-map-type', 'x-kubernetes-validations',
] as const;
/** Those that may, under the names that the message gives them. */
const ROOT_FIELDS =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items ' +
  'Properties ExternalDocs Example XPreserveUnknownFields XValidations';
const AT_ROOT: ReadonlySet<string> = new Set(
  ROOT_FIELDS.split(' ').map((name) =>
    name === 'XPreserveUnknownFields' ? 'x-kubernetes-preserve-unknown-fields' : name === 'XValidations' ? 'x-kubernetes-validations' : name.charAt(0).toLowerCase() + name.slice(1)),
);

/**
 * Rules of the schema of custom resources, without those that need CEL or a validation of default values.
 * `hasStatus`: the version has the status subresource.
 */
export function validateSchema(schema: V1JSONSchemaProps, hasStatus: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus) checkRoot(schema, path, errors);
  if (schema.nullable) errors.push(forbidden(path.child('nullable'), 'nullable cannot be true at the root'));
  const before = errors.length;
  checkProps(schema, path, errors);
  // What cannot be made structural at all is not asked whether it is complete.
  if (!errors.slice(before).some((error) => error.message.endsWith(' is not supported'))) checkStructure(schema, path, errors);
  return errors;
}

/** The status is validated alone, by its own part of the schema: rules at the root would be lost. */
function checkRoot(schema: V1JSONSchemaProps, path: FieldPath, errors: FieldError[]): void {
  for (const field of FIELDS) {
    const value = schema[field];
    if (value === undefined || value === false || (value === '' && !field.startsWith('$ref') && !field.startsWith('x-'))) continue;
    if (field === 'type') {
      if (value === 'object') continue;
      errors.push(invalid(path.child('type'), value, 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'));
      return;
    }
    if (AT_ROOT.has(field)) continue;
    errors.push(invalid(path, schema, `only [${ROOT_FIELDS}] fields are allowed at the root of the schema if the status subresource is enabled`));
    return;
  }
}

/** Rules of a schema and of all schemas inside it. */
function checkProps(schema: V1JSONSchemaProps, path: FieldPath, errors: FieldError[]): void {
  checkUnsupported(schema, path, errors);
  if (schema.uniqueItems) errors.push(forbidden(path.child('uniqueItems'), 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'));
  const { additionalProperties: additional, items } = schema;
  if (additional !== undefined && additional !== true && Object.keys(schema.properties ?? {}).length > 0) {
    errors.push(forbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive'));
  }
  if (isSchema(additional)) checkProps(additional, path.child('additionalProperties'), errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) checkProps(property, path.child('properties').key(name), errors);
  if (schema.not) checkProps(schema.not, path.child('not'), errors);
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const) schema[junctor]?.forEach((part, i) => checkProps(part, path.child(junctor).index(i), errors));
  for (const [name, part] of Object.entries(schema.definitions ?? {})) checkProps(part, path.child('definitions').key(name), errors);
  if (Array.isArray(items)) (items as readonly V1JSONSchemaProps[]).forEach((item, i) => checkProps(item, path.child('items').index(i), errors));
  else if (isSchema(items)) checkProps(items, path.child('items'), errors);
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  checkMergeTypes(schema, path, errors);
  schema['x-kubernetes-validations']?.forEach((rule, i) => checkRule(rule, path.child('x-kubernetes-validations').index(i), errors));
}

function checkUnsupported(schema: V1JSONSchemaProps, path: FieldPath, errors: FieldError[]): void {
  const { type } = schema;
  if (type && !TYPES.includes(type)) errors.push(notSupported(path.child('type'), type, TYPES));
  if (schema.id) errors.push(forbidden(path.child('id'), 'id is not supported'));
  for (const field of ['additionalItems', 'dependencies', '$ref'] as const) if (schema[field] !== undefined) errors.push(forbidden(path.child(field), `${field} is not supported`));
  for (const field of ['patternProperties', 'definitions'] as const) {
    if (Object.keys(schema[field] ?? {}).length > 0) errors.push(forbidden(path.child(field), `${field} is not supported`));
  }
  if (type === 'null') errors.push(forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative'));
  if (Array.isArray(schema.items) && schema.items.length > 0) errors.push(forbidden(path.child('items'), 'items must be a schema object and not an array'));
}

function checkMergeTypes(schema: V1JSONSchemaProps, path: FieldPath, errors: FieldError[]): void {
  const { type = '', 'x-kubernetes-map-type': mapType, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  const wants = (wanted: string, name: string): void => {
    const detail = `must be ${wanted} if ${name} is specified`;
    errors.push(type === '' ? required(path.child('type'), detail) : invalid(path.child('type'), type, detail));
  };
  const listPath = path.child('x-kubernetes-list-type');
  if (mapType !== undefined && type !== 'object') wants('object', 'x-kubernetes-map-type');
  if (mapType !== undefined && !MAP_TYPES.includes(mapType)) errors.push(notSupportedInOrder(path.child('x-kubernetes-map-type'), mapType, MAP_TYPES));
  if (listType !== undefined && type !== 'array') wants('array', 'x-kubernetes-list-type');
  if (listType !== undefined && !LIST_TYPES.includes(listType)) errors.push(notSupportedInOrder(listPath, listType, LIST_TYPES));
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? required(listPath, detail) : invalid(listPath, listType, detail));
  }
  if (listType !== 'map') return;
  if (keys.length === 0) errors.push(required(path.child('x-kubernetes-list-map-keys'), 'must not be empty if x-kubernetes-list-type is map'));
  if (schema.items === undefined) errors.push(required(path.child('items'), 'must have a schema if x-kubernetes-list-type is map'));
  else if (isSchema(schema.items)) checkMapItems(schema.items, keys, path, errors);
}

function checkMapItems(items: V1JSONSchemaProps, keys: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (items.type !== 'object') {
    errors.push(invalid(path.child('items', 'type'), items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"));
    return;
  }
  const keysPath = path.child('x-kubernetes-list-map-keys');
  keys.forEach((key, i) => {
    const property = items.properties && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (property === undefined) errors.push(invalid(keysPath, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      errors.push(invalid(path.child('items', 'properties').key(key).child('type'), items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
    if (keys.indexOf(key) < i) errors.push(invalid(keysPath, keys, 'must not contain duplicate entries'));
  });
}

function checkRule(rule: V1ValidationRule, path: FieldPath, errors: FieldError[]): void {
  const { rule: expression = '', message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const hasBreaks = (text: string): boolean => /[\r\n]/.test(text);
  if (expression.trim() === '') errors.push(required(path.child('rule'), 'rule is not specified'));
  else if (message !== '' && message.trim() === '') errors.push(invalid(path.child('message'), message, 'must be non-empty if specified'));
  else if (hasBreaks(message.trim())) errors.push(invalid(path.child('message'), message, 'must not contain line breaks'));
  else if (hasBreaks(expression.trim()) && message.trim() === '') errors.push(required(path.child('message'), 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '') errors.push(required(path.child('messageExpression'), 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(path.child('reason'), reason, REASONS));
  const at = path.child('fieldPath');
  if (fieldPath !== '' && fieldPath.trim() === '') errors.push(invalid(at, fieldPath, 'must be non-empty if specified'));
  if (hasBreaks(fieldPath)) errors.push(invalid(at, fieldPath, 'must not contain line breaks'));
  if (fieldPath !== '' && !/^\s*[.[]/.test(fieldPath)) errors.push(invalid(at, fieldPath, 'must be a valid path'));
}

function isSchema(value: unknown): value is V1JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
