import fc from 'fast-check';
import type { V1CustomResourceDefinitionVersion, V1JSONSchemaProps } from '../../generated/types.js';
import { CustomVersion } from './custom-version.js';

const names = fc.constantFrom('a', 'b', 'metadata', 'kind');
const { schema } = fc.letrec<{ schema: V1JSONSchemaProps }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constant('string'), nullable: fc.boolean(), default: fc.constantFrom(undefined, 'x', null) }),
    fc.record({
      type: fc.constant('object'), nullable: fc.boolean(), properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }), 'x-kubernetes-preserve-unknown-fields': fc.constantFrom(undefined, true),
      'x-kubernetes-embedded-resource': fc.constantFrom(undefined, true), default: fc.constantFrom(undefined, {}),
    }),
    fc.record({ type: fc.constant('object'), additionalProperties: fc.oneof(fc.constant(true), tie('schema')) }),
    fc.record({ type: fc.constant('array'), items: fc.option(tie('schema'), { nil: undefined }) }),
  ) as fc.Arbitrary<V1JSONSchemaProps>,
}));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.constant(null), fc.constant('v'), fc.array(tie('value'), { maxLength: 2 }), fc.dictionary(fc.constantFrom('a', 'b', 'c', 'metadata', 'kind'), tie('value'), { maxKeys: 3 })),
}));

test('a value is settled exactly when settling changes nothing', () => {
  fc.assert(
    fc.property(fc.dictionary(names, schema), fc.dictionary(fc.constantFrom('a', 'b', 'c', 'metadata', 'kind'), value), fc.boolean(), fc.constantFrom(undefined, true), (properties, object, preserves, keeps) => {
      const root = { type: 'object', properties, ...(keeps ? { 'x-kubernetes-preserve-unknown-fields': true } : {}) } as V1JSONSchemaProps;
      const version = new CustomVersion({ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } } as V1CustomResourceDefinitionVersion, preserves);
      const settled = structuredClone(object);
      const changed = version.settle(settled);
      expect(version.isSettled(object)).toBe(!changed);
      if (!changed) expect(settled).toEqual(object);
    }),
    { numRuns: 1500, seed: 1 },
  );
});
