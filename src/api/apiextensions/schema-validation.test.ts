import type { V1JSONSchemaProps } from '../generated/types.js';
import { FieldPath } from '../meta/field-path.js';
import { validateSchema } from './schema-validation.js';

const problems = (schema: V1JSONSchemaProps, hasStatus = false): string[] =>
  validateSchema(schema, hasStatus, FieldPath.of('s')).map(({ field, message }) => `${field}: ${message}`.slice(0, 120));

test.each<readonly [V1JSONSchemaProps, readonly string[]]>([
  [{ type: 'object', properties: { any: { 'x-kubernetes-preserve-unknown-fields': true }, port: { 'x-kubernetes-int-or-string': true }, map: { type: 'object', additionalProperties: { type: 'string' } } } }, []],
  [{ type: 'object', properties: { list: { type: 'array', items: { type: 'object', properties: { k: { type: 'string' } } }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] } } }, []],
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
    's.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive', 's.additionalProperties: Forbidden: must not be used at the root',
  ]],
])('%j', (schema, expected) => {
  expect(problems(schema)).toEqual(expected);
});

test('with a status subresource the root says nothing that would be lost', () => {
  expect(problems({ type: 'object', description: 'd', required: ['spec'], properties: {} }, true)).toEqual([]);
  expect(problems({ type: 'object', maxProperties: 1 }, true)).toEqual([expect.stringMatching(/^s: Invalid value: .*: only \[Description Type/)]);
});
