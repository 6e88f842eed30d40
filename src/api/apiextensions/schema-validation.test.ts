import type { V1JSONSchemaProps } from '../generated/types.js';
import { FieldPath } from '../meta/field-path.js';
import { drain, validateSchema, validateSchemaInSteps } from './schema-validation.js';

const problems = (schema: V1JSONSchemaProps, hasStatus = false): string[] =>
  validateSchema(schema, hasStatus, FieldPath.of('s')).map(({ field, message }) => `${field}: ${message}`.slice(0, 200));

test.each<readonly [V1JSONSchemaProps, readonly string[]]>([
  [{ type: 'object', properties: { any: { 'x-kubernetes-preserve-unknown-fields': true }, port: { 'x-kubernetes-int-or-string': true }, map: { type: 'object', additionalProperties: { type: 'string' } } } }, []],
  [{ type: 'object', properties: { list: { type: 'array', items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] } } }, []],
  [{ properties: { a: {}, l: { type: 'array' } } }, [
    's.properties[a].type: Required value: must not be empty for specified object fields', 's.properties[l].items: Required value: must be specified',
    's.type: Required value: must not be empty at the root',
  ]],
  [{ type: 'object', properties: { l: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k', 'k'] } } }, [
    's.properties[l].x-kubernetes-list-map-keys: Invalid value: ["k","k"]: entries must all be names of item properties',
    's.properties[l].x-kubernetes-list-map-keys: Invalid value: ["k","k"]: entries must all be names of item properties',
    's.properties[l].x-kubernetes-list-map-keys: Invalid value: ["k","k"]: must not contain duplicate entries',
  ]],
  [{ type: 'object', properties: { a: { $ref: '#/x' } } }, ['s.properties[a].$ref: Forbidden: $ref is not supported']],
  [{ type: 'object', additionalProperties: { type: 'string' }, properties: { a: { type: 'string' } } }, [
    's.additionalProperties: Forbidden: must not be used at the root', 's.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
  ]],
  // Alternatives restrict values; what there is, is said outside of them.
  [{ type: 'object', properties: { a: { type: 'string', anyOf: [{ type: 'string', default: 'x' }], pattern: '(' } } }, [
    's.properties[a].anyOf[0].default: Forbidden: must be undefined to be structural', 's.properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
    "s.properties[a].pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`",
  ]],
  [{ type: 'object', properties: { a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } } }, []],
  [{ type: 'object', anyOf: [{ required: ['a'], properties: { a: { minLength: 1 } } }] }, ['s.properties[a]: Required value: because it is defined in s.anyOf[0].properties[a]']],
  [{ type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } }, kind: { type: 'integer' } as V1JSONSchemaProps } }, [
    's.properties[kind].type: Invalid value: "integer": must be string',
    's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
  ]],
  // Default values.
  [{ type: 'object', properties: { a: { type: 'string', default: 1 as unknown as object } } }, ['s.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"']],
  [{ type: 'object', properties: { a: { type: 'object', default: { b: 1 } } } }, ['s.properties[a].default: Invalid value: {"b":1}: must not have unknown fields']],
  [{ type: 'object', properties: { metadata: { type: 'object', default: {} } } }, ['s.properties[metadata].default: Forbidden: must not be set in top-level metadata']],
  [{ type: 'object', properties: { e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true, default: { kind: 'A' } } } }, [
    's.properties[e].default.apiVersion: Required value',
  ]],
  [{ type: 'object', properties: { l: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object', nullable: true } } } }, [
    's.properties[l].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    's.properties[l].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set',
  ]],
])('%j', (schema, expected) => {
  expect(problems(schema)).toEqual(expected);
});

test('with a status subresource the root says nothing that would be lost', () => {
  expect(problems({ type: 'object', description: 'd', required: ['spec'], properties: {} }, true)).toEqual([]);
  expect(problems({ type: 'object', maxProperties: 1 }, true)).toEqual([expect.stringMatching(/^s: Invalid value: .*: only \[Description Type/)]);
});

test('what a definition was allowed before it is allowed again', () => {
  const set: V1JSONSchemaProps = { type: 'object', properties: { l: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } } } };
  const path = FieldPath.of('s');
  expect(drain(validateSchemaInSteps(set, false, path, { before: [set] }))).toEqual([]);
  expect(drain(validateSchemaInSteps(set, false, path, { before: [{ type: 'object' }] }))).toHaveLength(1);
});

test('big schemas are checked in many steps, and deep ones do not overflow anything', () => {
  let deep: V1JSONSchemaProps = { type: 'string' };
  for (let i = 0; i < 20_000; i++) deep = { type: 'object', properties: { a: deep } };
  let steps = 0;
  for (const _step of validateSchemaInSteps(deep, true, FieldPath.of('s'))) steps++;
  expect(steps).toBeGreaterThanOrEqual(20_000);
});

test('alternatives are checked in many steps', () => {
  const wide: V1JSONSchemaProps = { type: 'object', anyOf: Array.from({ length: 1000 }, (_, i) => ({ required: [`k${i}`] })) };
  expect([...validateSchemaInSteps(wide, false, FieldPath.of('s'))].length).toBeGreaterThan(1090);
});

test('many wrong keys of a list are told in the time that takes, and more errors than a call can have arguments', () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => `k${i % 10_000}`);
  const list: V1JSONSchemaProps = { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
  expect(problems({ type: 'object', properties: { list } })).toHaveLength(30_000);
  const properties = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`k${i}`, {}]));
  expect(problems({ type: 'object', properties })).toHaveLength(150_000);
});
