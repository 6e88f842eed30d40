import type { V1CustomResourceDefinition, V1JSONSchemaProps } from '../../api/generated/types.js';
import { mayBreakStructure, structuralCondition } from './structural-condition.js';

const definition = (schema: V1JSONSchemaProps, preserveUnknownFields?: boolean): V1CustomResourceDefinition => ({
  spec: {
    group: 'a.b', scope: 'Cluster', names: { plural: 'c', kind: 'C' }, ...(preserveUnknownFields ? { preserveUnknownFields } : {}),
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

test('definitions of old are told what is not structural in them', async () => {
  expect(mayBreakStructure(definition({ type: 'object' }))).toBe(false);
  const old = definition({ properties: { a: {} } }, true);
  expect(mayBreakStructure(old)).toBe(true);
  expect(await structuralCondition(old)).toEqual({
    type: 'NonStructuralSchema',
    status: 'True',
    reason: 'Violations',
    message: '[spec.preserveUnknownFields: Invalid value: true: must be false, spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields, spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root]',
  });
  expect(await structuralCondition(definition({ type: 'object' }))).toBeUndefined();
});
