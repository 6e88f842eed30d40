import type { V1JSONSchemaProps } from '../../generated/types.js';
import { canonical } from './list-rules.js';
import { stringFormat } from './formats.js';
import { validateNumber } from './number-rules.js';
import { Outcome } from './outcome.js';
import type { SchemaValidator } from './schema-validator.js';

type Dictionary = Readonly<Record<string, unknown>>;

/** About as many small values are looked at before it is too much for one turn. */
const MOST_WORK = 2_000;
const CHARACTERS_PER_WORK = 50;
const NAMES_PER_WORK = 20;
/** Steps of a pattern that are as much work as a small value. */
const STEPS_PER_WORK = 20;
/** The items of longer lists are not compared all with all. */
const SHORT_LIST = 8;

/** How much may be looked at. */
interface Budget {
  left: number;
}

/**
 * Whether a value surely has nothing that {@link SchemaValidator} or the rules of keyed lists would object to: a look without notes, for the objects of every
 * day. What takes long, or depends on alternatives that exclude each other, is left to them.
 */
export function isSurelyValid(value: unknown, validator: SchemaValidator): boolean {
  return accepts(value, validator, { left: MOST_WORK });
}

function accepts(value: unknown, validator: SchemaValidator, budget: Budget): boolean {
  const { schema, types } = validator;
  if (--budget.left < 0 || schema.not || schema.oneOf) return false;
  if (value === null || value === undefined) return (types.length === 0 || schema.nullable === true) && schema.enum === undefined;
  if (types.length > 0 ? !fits(value, types) : validator.format !== '') return false;
  if (schema.enum !== undefined && schema.enum.length > 0 && (typeof value === 'object' || !validator.scalars(schema.enum).has(value))) return false;
  if (validator.combines && !meetsAlternatives(value, validator, budget)) return false;
  switch (typeof value) {
    case 'string':
      return acceptsText(value, validator, budget);
    case 'number':
      return acceptsNumber(value, validator);
    case 'object':
      return Array.isArray(value) ? acceptsList(value, validator, budget) : acceptsObject(value as Dictionary, validator, budget);
    default:
      return true;
  }
}

function fits(value: unknown, types: readonly string[]): boolean {
  if (typeof value === 'number') return types.includes('number') || (Number.isInteger(value) && types.includes('integer'));
  return types.includes(Array.isArray(value) ? 'array' : typeof value);
}

function meetsAlternatives(value: unknown, validator: SchemaValidator, budget: Budget): boolean {
  const { anyOf, allOf } = validator.schema;
  if (anyOf && anyOf.length > 0 && !validator.part('anyOf', () => anyOf).some((part) => accepts(value, part, budget))) return false;
  return !allOf || validator.part('allOf', () => allOf).every((part) => accepts(value, part, budget));
}

function acceptsText(value: string, { schema, pattern, format }: SchemaValidator, budget: Budget): boolean {
  const { maxLength, minLength } = schema;
  if ((budget.left -= value.length / CHARACTERS_PER_WORK) < 0) return false;
  // Characters beyond the first plane count once there and twice here.
  if (maxLength !== undefined && value.length > maxLength) return false;
  if (minLength !== undefined && value.length < (minLength > 1 ? 2 * minLength : minLength) && [...value].length < minLength) return false;
  if (pattern) {
    if (pattern instanceof Error || !pattern.test(value)) return false;
    budget.left -= pattern.steps / STEPS_PER_WORK;
  }
  return format === '' || stringFormat(format)?.(value) !== false;
}

function acceptsNumber(value: number, { schema, types, format }: SchemaValidator): boolean {
  const outcome = new Outcome();
  validateNumber(schema, types.length === 1 ? types[0]! : '', format, value, '', outcome);
  return outcome.valid;
}

function acceptsObject(value: Dictionary, validator: SchemaValidator, budget: Budget): boolean {
  const { minProperties, maxProperties, additionalProperties, required } = validator.schema;
  const others = typeof additionalProperties === 'object' && additionalProperties !== null ? (additionalProperties as V1JSONSchemaProps) : undefined;
  let size = 0;
  for (const key in value) {
    size++;
    const part = validator.declares(key) ? validator.property(key) : others && validator.part('additionalProperties', () => [others])[0]!;
    if (part ? !accepts(value[key], part, budget) : additionalProperties === false) return false;
  }
  if ((minProperties !== undefined && size < minProperties) || (maxProperties !== undefined && size > maxProperties)) return false;
  if (required === undefined) return true;
  budget.left -= required.length / NAMES_PER_WORK;
  return required.every((name) => Object.hasOwn(value, name));
}

function acceptsList(value: readonly unknown[], validator: SchemaValidator, budget: Budget): boolean {
  const { items, minItems, maxItems, uniqueItems } = validator.schema;
  const size = value.length;
  if ((minItems !== undefined && size < minItems) || (maxItems !== undefined && size > maxItems) || (uniqueItems && size > 1)) return false;
  if (typeof items !== 'object' || items === null) return size <= 1;
  const [part] = validator.part('items', () => [items as V1JSONSchemaProps]);
  for (const item of value) if (!accepts(item, part!, budget)) return false;
  return isWithoutRepeats(value, validator.schema);
}

function isWithoutRepeats(list: readonly unknown[], schema: V1JSONSchemaProps): boolean {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return list.length <= 1 || new Set(list.map((item) => `${typeof item} ${canonical(item)}`)).size === list.length;
    case 'map':
      return areKeysUnique(list, schema['x-kubernetes-list-map-keys'] ?? []);
    default:
      return true;
  }
}

function areKeysUnique(list: readonly unknown[], keys: readonly string[]): boolean {
  if (list.some((item) => typeof item !== 'object' || item === null || Array.isArray(item))) return false;
  const items = list as readonly Dictionary[];
  if (items.length > SHORT_LIST) return new Set(items.map((item) => keys.map((key) => canonical(item[key])).join(','))).size === items.length;
  for (let i = 1; i < items.length; i++) {
    for (let j = 0; j < i; j++) if (keys.every((key) => mayBeEqual(items[i]![key], items[j]![key]))) return false;
  }
  return true;
}

function mayBeEqual(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object');
}
