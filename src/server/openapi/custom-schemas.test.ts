import type { V1CustomResourceDefinitionVersion, V1JSONSchemaProps } from '../../api/generated/types.js';
import type { ResourceFacts } from '../../api/scheme/resource-facts.js';
import { customSchemas } from './custom-schemas.js';

const facts: ResourceFacts = { group: 'example.com', version: 'v1', resource: 'foos', singular: 'foo', kind: 'Foo', namespaced: true, verbs: [] };

function spec(schema: V1JSONSchemaProps, version: 2 | 3): unknown {
  const schemas = customSchemas(facts, 'FooList', { schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } } } as unknown as V1CustomResourceDefinitionVersion, version);
  return (schemas['com.example.v1.Foo'] as { properties: { spec: unknown } }).properties.spec;
}

test('version 3 says of numbers or texts that they are both', () => {
  const both = [{ type: 'integer' }, { type: 'string' }];
  expect(spec({ 'x-kubernetes-int-or-string': true }, 3)).toEqual({ 'x-kubernetes-int-or-string': true, anyOf: both });
  expect(spec({ 'x-kubernetes-int-or-string': true, anyOf: both }, 3)).toEqual({ 'x-kubernetes-int-or-string': true, anyOf: both });
  expect(spec({ 'x-kubernetes-int-or-string': true, anyOf: [{ pattern: 'a' }] }, 3)).toMatchObject({ anyOf: [{ pattern: 'a' }], allOf: [{ anyOf: both }] });
  expect(spec({ 'x-kubernetes-int-or-string': true }, 2)).toEqual({ 'x-kubernetes-int-or-string': true });
});

test('objects within objects say what they are', () => {
  const embedded: V1JSONSchemaProps = { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind', 'a'] };
  for (const version of [2, 3] as const) {
    expect(spec(embedded, version)).toMatchObject({ required: ['kind', 'a', 'apiVersion'], properties: { metadata: expect.anything(), kind: expect.anything(), apiVersion: expect.anything() } });
  }
  expect(spec({ ...embedded, 'x-kubernetes-preserve-unknown-fields': true }, 2)).toEqual({ 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true, required: ['kind', 'a'] });
});

test('version 2 leaves out what clients would make too much of', () => {
  expect(spec({ type: 'integer', default: 3, nullable: true }, 2)).toEqual({});
  expect(spec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } }, 2)).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
  expect(spec({ type: 'object', required: ['a', 'b'], properties: { a: { type: 'string', nullable: true }, b: { type: 'string', default: 'x' } } }, 2)).toEqual({ type: 'object', required: ['b'], properties: { a: {}, b: { type: 'string' } } });
  expect(spec({ type: 'object', required: ['a'], additionalProperties: { type: 'string', nullable: true } }, 2)).toEqual({ type: 'object', additionalProperties: {} });
});

test('fields that can be selected by are told of the kind and its list', () => {
  const schemas = customSchemas(facts, 'FooList', { selectableFields: [{ jsonPath: '.spec.size' }] } as unknown as V1CustomResourceDefinitionVersion, 3);
  for (const name of ['Foo', 'FooList']) expect(schemas[`com.example.v1.${name}`]).toMatchObject({ 'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.size' }] });
});
