import { atOnce } from '../../../base/steps.js';
import type { V1JSONSchemaProps } from '../../generated/types.js';
import { validateLists } from './list-rules.js';
import { isSurelyValid } from './quick-check.js';
import { SchemaNode } from './schema-node.js';
import { SchemaValidator } from './schema-validator.js';

type Schema = Partial<V1JSONSchemaProps>;

const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more });
const keyed = (...keys: string[]): Schema => ({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({ type: 'object', properties: properties as Record<string, V1JSONSchemaProps>, ...more });

const SCHEMAS: readonly Schema[] = [
  { type: 'string' }, { type: 'string', nullable: true }, { type: 'string', minLength: 2, maxLength: 3 }, { type: 'string', pattern: '^a+$' }, { type: 'string', pattern: '(' }, { type: 'string', format: 'ipv4' },
  { type: 'string', enum: ['aa', '10.0.0.1'] }, { type: 'string', format: 'nothing' }, { type: 'integer' }, { type: 'integer', format: 'int32' }, { type: 'integer', minimum: 2, maximum: 3 }, { type: 'number', exclusiveMinimum: true, minimum: 1 },
  { type: 'number', multipleOf: 0.5 }, { type: 'boolean' }, { type: 'boolean', enum: [true] }, {}, { 'x-kubernetes-int-or-string': true }, { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^a' },
  { enum: [null] }, { allOf: [{ minLength: 1 }, { maxLength: 2 }] }, { oneOf: [{ type: 'integer' }, { type: 'string' }] }, { not: { enum: ['aa'] } }, { format: 'ipv4' }, { anyOf: [{ enum: [1] }, { enum: ['aa'] }] },
  list({ type: 'string' }), list({ type: 'string' }, { 'x-kubernetes-list-type': 'set' }), list({ type: 'string' }, { minItems: 2, maxItems: 2 }), list({ type: 'string' }, { uniqueItems: true }), { type: 'array' }, list({}, { enum: [['aa']] }),
  list(object({ k: {}, v: {} }), keyed('k')), list(object({ k: {}, v: {} }), keyed('k', 'v')), list({}, keyed('k')), list({}, { 'x-kubernetes-list-type': 'set' }),
  object({ k: { type: 'string' } }), object({ k: { type: 'string' } }, { required: ['k', 'v'] }), object({}, { additionalProperties: { type: 'integer' } as V1JSONSchemaProps }), object({ k: {} }, { additionalProperties: false }),
  object({}, { minProperties: 1, maxProperties: 1 }), object({}, { enum: [{ k: 1 }] }), object({ k: list({ type: 'integer' }) }, { 'x-kubernetes-preserve-unknown-fields': true }),
];
const VALUES: readonly unknown[] = [
  null, 'a', 'aa', 'aaaa', '', '😀', '😀😀', '10.0.0.1', 0, 1, 2, 3.5, 5, 2 ** 40, true, false, [], ['aa'], ['aa', 'aa'], ['a', 'b'], [1, '1'], [null], [{ k: 1 }], [{ k: 1 }, { k: 1, v: 2 }], [{ k: 1 }, { k: '1' }], [{ v: 1 }, { v: 2 }],
  [{ k: {} }, { k: {} }], [{ k: 1 }, 'x'], [{ k: 1 }, null], Array.from({ length: 20 }, (_, i) => ({ k: i })), Array.from({ length: 20 }, (_, i) => ({ k: i % 19 })),
  {}, { k: 'a' }, { k: 1 }, { v: 1 }, { k: 'a', v: 1 }, { k: [1] }, { k: ['a'] }, { k: null }, JSON.parse('{"__proto__":1}'),
];

test('what a quick look lets pass, the rules let pass', () => {
  let passed = 0;
  let valid = 0;
  for (const schema of SCHEMAS as readonly V1JSONSchemaProps[]) {
    for (const inner of VALUES) {
      for (const [whole, value] of [[schema, inner], [object({ spec: schema }) as V1JSONSchemaProps, { spec: inner }]] as const) {
        const fine = new SchemaValidator(whole).validate(value).valid && atOnce(validateLists(value, new SchemaNode(whole))).length === 0;
        const quick = isSurelyValid(value, new SchemaValidator(whole));
        expect([whole, value, quick && !fine]).toEqual([whole, value, false]);
        if (fine) valid++;
        if (quick) passed++;
      }
    }
  }
  // It is of use, though many of these schemas are odd ones.
  expect(passed).toBeGreaterThan(valid * 0.5);
});

test('what takes long is left to the rules', () => {
  const schema = list({ type: 'string', pattern: '^[a-z0-9]+$' }) as V1JSONSchemaProps;
  const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => `text${i}`);
  expect(isSurelyValid(texts(100), new SchemaValidator(schema))).toBe(true);
  expect(isSurelyValid(texts(5000), new SchemaValidator(schema))).toBe(false);
  expect(isSurelyValid(['x'.repeat(200_000)], new SchemaValidator(schema))).toBe(false);
  const costly = new SchemaValidator(list({ type: 'string', pattern: '(x|y)*(x(x|y){200})?$' }) as V1JSONSchemaProps);
  expect(isSurelyValid([`x${'yx'.repeat(400)}z`, 'x'], costly)).toBe(false);
});
