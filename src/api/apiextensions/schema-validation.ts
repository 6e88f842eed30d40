import type { Steps } from '../../base/steps.js';
import type { V1JSONSchemaProps, V1ValidationRule } from '../generated/types.js';
import { badValueText, forbidden, invalid, invalidText, notSupported, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { UNPRUNED_DEFAULT, validateDefault } from './default-validation.js';
import { places, unsupportedText, type Place } from './schema-places.js';
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

/** What of the rules depends on the definition as it was: what broke them then may go on to do so. */
export interface SchemaOptions {
  /** The schemas of the definition before; undefined: it is new. */
  readonly before?: readonly V1JSONSchemaProps[];
  /** `spec.preserveUnknownFields`: a schema that was not structural may stay so, unless it has what only structural schemas can have. */
  readonly preserves?: boolean;
}

/** Rules that came later than others: definitions that broke them before may go on to. */
const LATER_RULES: readonly RegExp[] = [/: must be atomic as item of a list with /, /cannot be nullable when x-kubernetes-list-type is|is in x-kubernetes-list-map-keys, so it /, new RegExp(`: ${UNPRUNED_DEFAULT}$`)];

/**
 * Rules of the schema of custom resources, without those that need CEL, one schema after the other: `next` checks one, so that others may have their turn
 * in between. `hasStatus`: the version has the status subresource.
 */
export function* validateSchemaInSteps(schema: V1JSONSchemaProps, hasStatus: boolean, path: FieldPath, options: SchemaOptions = {}): Generator<void, FieldError[]> {
  const errors: FieldError[] = [];
  if (hasStatus) checkRoot(schema, path, errors);
  if (schema.nullable) errors.push(forbidden(path.child('nullable'), 'nullable cannot be true at the root'));
  const structural = options.before === undefined || options.preserves !== true || (yield* needsStructure(schema)) || !(yield* wereNotStructural(options.before));
  const all = yield* allRules(schema, path, structural);
  if (all.length === 0 || options.before === undefined) return [...errors, ...all];
  let old: FieldError[] = [];
  for (const before of options.before) old = [...old, ...(yield* allRules(before, path, structural))];
  const excused = LATER_RULES.filter((rule) => old.some(({ message }) => rule.test(message)));
  return [...errors, ...all.filter(({ message }) => !excused.some((rule) => rule.test(message)))];
}

/** The same at once. */
export function validateSchema(schema: V1JSONSchemaProps, hasStatus: boolean, path: FieldPath): FieldError[] {
  return drain(validateSchemaInSteps(schema, hasStatus, path));
}

/** Whether a schema says the type of everything that it specifies, one step after the other. Gives what is wrong with it, in upstream's order. */
export function* structuralErrors(schema: V1JSONSchemaProps, path: FieldPath): Generator<void, FieldError[]> {
  const errors: FieldError[] = [];
  for (const { schema: part, level, path: at } of places(schema, path)) {
    if (unsupportedText(part) !== '') return [invalid(path, '', unsupportedText(part))];
    if (level) yield* checkStructure(part, level, at, errors);
    yield;
  }
  return sorted(errors);
}

/** Runs steps without a pause. */
export function drain<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Defaults and Kubernetes' extensions mean something in structural schemas alone. */
function* needsStructure(schema: V1JSONSchemaProps): Steps<boolean> {
  for (const { schema: part } of places(schema, FieldPath.root)) {
    yield;
    if (part.default !== undefined || Object.keys(part).some((field) => field.startsWith('x-kubernetes-'))) return true;
  }
  return false;
}

function* wereNotStructural(schemas: readonly V1JSONSchemaProps[]): Generator<void, boolean> {
  for (const schema of schemas) if ((yield* structuralErrors(schema, FieldPath.root)).length > 0) return true;
  return false;
}

function* allRules(schema: V1JSONSchemaProps, path: FieldPath, structural: boolean): Generator<void, FieldError[]> {
  const structure: FieldError[] = [];
  const rules: FieldError[] = [];
  const withDefault: Place[] = [];
  let supported = true;
  for (const place of places(schema, path)) {
    if (unsupportedText(place.schema) !== '') supported = false;
    if (structural && place.level) yield* checkStructure(place.schema, place.level, place.path, structure);
    checkProps(place, rules);
    // Upstream does not look into alternatives and the values of maps.
    if (place.level && !place.inMap && place.schema.default !== undefined) withDefault.push(place);
    yield;
  }
  // What cannot be made structural at all is not asked whether it is.
  if (!supported || !structural) return rules;
  if (structure.length > 0) return [...sorted(structure), ...rules];
  const defaults: FieldError[] = [];
  for (const { schema: part, level, path: at, surround } of withDefault) {
    const wrong = yield* validateDefault(part, level === 'root' || part['x-kubernetes-embedded-resource'] === true, surround, at);
    for (const error of wrong) defaults.push(error);
    yield;
  }
  return [...defaults, ...rules];
}

function sorted(errors: readonly FieldError[]): FieldError[] {
  const texts = new Map(errors.map((error) => [error, `${error.field}: ${error.message}`]));
  return [...errors].sort((a, b) => (texts.get(a)! < texts.get(b)! ? -1 : 1));
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

/** Rules of one schema. */
function checkProps({ schema, path, noDefault, inMetadata }: Place, errors: FieldError[]): void {
  checkUnsupported(schema, path, errors);
  if (noDefault !== '' && schema.default !== undefined) errors.push(forbidden(path.child('default'), `must not be set${noDefault}`));
  if (inMetadata && schema['x-kubernetes-embedded-resource']) errors.push(forbidden(path.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'));
  if (schema.uniqueItems) errors.push(forbidden(path.child('uniqueItems'), 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'));
  const { additionalProperties: additional } = schema;
  if (additional !== undefined && additional !== true && Object.keys(schema.properties ?? {}).length > 0) {
    errors.push(forbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive'));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  checkMergeTypes(schema, path, errors);
  checkItemNulls(schema, path, errors);
  schema['x-kubernetes-validations']?.forEach((rule, i) => checkRule(rule, schema, path.child('x-kubernetes-validations').index(i), errors));
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
  else if (listType === 'set' && isSchema(schema.items)) checkSetItems(schema.items, path.child('items'), errors);
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
  const seen = new Set<string>();
  let text: string | undefined;
  // The keys may be many, and so may the errors that tell all of them.
  const wrong = (detail: string): number => errors.push(invalidText(keysPath, (text ??= badValueText(keys)), detail));
  for (const key of keys) {
    const property = items.properties && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (property === undefined) wrong('entries must all be names of item properties');
    else if (property.type === 'array' || property.type === 'object') {
      errors.push(invalid(path.child('items', 'properties').key(key).child('type'), items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
    if (seen.has(key)) wrong('must not contain duplicate entries');
    seen.add(key);
  }
}

/** Items of a set are compared as a whole. */
function checkSetItems(items: V1JSONSchemaProps, path: FieldPath, errors: FieldError[]): void {
  const { type, 'x-kubernetes-list-type': listType, 'x-kubernetes-map-type': mapType } = items;
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (type === 'array' && listType !== undefined && listType !== 'atomic') errors.push(invalid(path.child('x-kubernetes-list-type'), listType, detail));
  // Upstream shows the list type here, too.
  if (type === 'object' && mapType !== 'atomic') errors.push(invalid(path.child('x-kubernetes-map-type'), listType ?? null, detail));
}

/** Items of sets and maps, and the keys of maps, are there. */
function checkItemNulls({ items, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] }: V1JSONSchemaProps, path: FieldPath, errors: FieldError[]): void {
  if (!isSchema(items) || (listType !== 'set' && listType !== 'map')) return;
  const at = path.child('items');
  if (items.nullable) errors.push(forbidden(at.child('nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  if (listType === 'set') return;
  const needed = new Set(items.required);
  for (const key of keys) {
    const property = items.properties && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (property === undefined) continue;
    const place = at.child('properties').key(key);
    if (!needed.has(key) && property.default === undefined) {
      errors.push(required(place.child('default'), 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'));
    }
    if (property.nullable) errors.push(forbidden(place.child('nullable'), 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'));
  }
}

function checkRule(rule: V1ValidationRule, schema: V1JSONSchemaProps, path: FieldPath, errors: FieldError[]): void {
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
  if (fieldPath !== '' && !isFieldOf(schema, fieldPath)) errors.push(invalid(at, fieldPath, 'must be a valid path'));
}

/** Whether a path of the form `.a.b['c']` names a field of a schema. */
function isFieldOf(root: V1JSONSchemaProps, text: string): boolean {
  const steps = text.trim().match(/\.[A-Za-z_][A-Za-z0-9_]*|\['(?:[^'\\]|\\.)*'\]/g) ?? [];
  if (steps.length === 0 || steps.join('') !== text.trim()) return false;
  let schema: V1JSONSchemaProps | undefined = root;
  for (const step of steps) {
    const name: string = step.startsWith('.') ? step.slice(1) : step.slice(2, -2).replace(/\\(.)/g, '$1');
    const { properties, additionalProperties }: V1JSONSchemaProps = schema;
    const next: unknown = properties && Object.hasOwn(properties, name) ? properties[name] : step.startsWith('[') ? additionalProperties : undefined;
    if (!isSchema(next)) return false;
    schema = next;
  }
  return true;
}

function isSchema(value: unknown): value is V1JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
