import { decodeError } from '../../codec/decode-error.js';
import { atOnce, type Steps } from '../../../base/steps.js';
import type { V1JSONSchemaProps } from '../../generated/types.js';
import type { KubeObject } from '../../meta/object.js';
import { CustomVersion } from './custom-version.js';

type Body = Record<string, unknown>;

function version(spec: Readonly<Record<string, unknown>>, status?: V1JSONSchemaProps): CustomVersion {
  const properties = { spec: { type: 'object', ...spec }, ...(status ? { status } : {}) } as Record<string, V1JSONSchemaProps>;
  return new CustomVersion({ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }, false);
}

const metadata = (value: unknown): { metadata: unknown; unknown: string[] } => ({ metadata: value, unknown: [] });
const object = (spec: unknown, more: Body = {}): KubeObject & Body => ({ apiVersion: 'a.example/v1', kind: 'A', metadata: { name: 'a' }, spec, ...more });
const lines = (errors: readonly { field: string; message: string }[]): string[] => errors.map(({ field, message }) => `${field}: ${message}`);

/** What is dropped of a spec, and what is left of it. */
function coerced(schema: Body, spec: unknown): [string[], unknown] {
  const draft = object(structuredClone(spec));
  const unknown = version(schema).coerce(draft, true, metadata);
  return [unknown, draft['spec']];
}

test('pruning', () => {
  const schema = {
    properties: {
      known: { type: 'string' }, list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { strict: { type: 'object', properties: { a: { type: 'string' } } } } },
    },
  };
  expect(coerced(schema, { known: 'x', b: 1, list: [{ a: '1', b: 2 }], map: { k: { b: 1 } }, free: { any: { thing: 1 }, strict: { a: '1', b: 1 } } })).toEqual([
    ['unknown field "spec.b"', 'unknown field "spec.free.strict.b"', 'unknown field "spec.list[0].b"', 'unknown field "spec.map.k.b"'],
    { known: 'x', list: [{ a: '1' }], map: { k: {} }, free: { any: { thing: 1 }, strict: { a: '1' } } },
  ]);
});

test('metadata of embedded objects that cannot be read says where it is', () => {
  const schema = { properties: { pod: { type: 'object', 'x-kubernetes-embedded-resource': true } } };
  const check = (value: unknown): ReturnType<typeof metadata> => {
    if (typeof value === 'string') throw decodeError('no metadata');
    return metadata(value);
  };
  expect(() => version(schema).coerce(object({ pod: { metadata: 's' } }), true, check)).toThrow('spec.pod.metadata: Invalid value: "s": no metadata');
});

test('nulls and defaults', () => {
  const schema = { properties: { plain: { type: 'string' }, nullable: { type: 'string', nullable: true }, given: { type: 'string', default: 'd' }, deep: { type: 'object', default: {}, properties: { x: { type: 'integer', default: 1 } } } } };
  const draft = object({ plain: null, nullable: null, given: null });
  const rules = version(schema);
  rules.coerce(draft, false, metadata);
  expect(draft['spec']).toEqual({ nullable: null, given: null });
  rules.fillDefaults(draft);
  expect(draft['spec']).toEqual({ nullable: null, given: 'd', deep: { x: 1 } });
});

test('defaults are copies', () => {
  const rules = version({ properties: { list: { type: 'array', items: { type: 'string' }, default: ['a'] } } });
  const [one, two] = [object({}), object({})];
  rules.fillDefaults(one);
  (one['spec'] as { list: string[] }).list.push('b');
  rules.fillDefaults(two);
  expect(two['spec']).toEqual({ list: ['a'] });
});

test.each<[string, Body, unknown, string[]]>([
  ['a type', { properties: { a: { type: 'string' } } }, { a: 1 }, ['spec.a: Invalid value: "integer": spec.a in body must be of type string: "integer"']],
  ['null', { properties: { a: { type: 'string' } } }, { a: null }, ['spec.a: Invalid value: "null": spec.a in body must be of type string: "null"']],
  ['a number without fraction', { properties: { a: { type: 'integer' } } }, { a: 1.0 }, []],
  ['int or string', { properties: { a: { 'x-kubernetes-int-or-string': true } } }, { a: true }, ['spec.a: Invalid value: "boolean": spec.a in body must be of type integer,string: "boolean"']],
  ['a length', { properties: { a: { type: 'string', maxLength: 1 } } }, { a: 'äö' }, ['spec.a: Too long: may not be more than 1 byte']],
  ['items', { properties: { a: { type: 'array', maxItems: 1, items: { type: 'integer' } } } }, { a: [1, 2] }, ['spec.a: Too many: 2: must have at most 1 item']],
  ['alternatives', { properties: { a: { type: 'object', properties: { x: {}, y: {} }, oneOf: [{ required: ['x'] }, { required: ['y'] }] } } }, { a: { x: 1, y: 1 } }, [
    '<nil>: Invalid value: "": "spec.a" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ]],
  ['what must not be', { properties: { a: { type: 'string', not: { enum: ['x'] } } } }, { a: 'x' }, ['<nil>: Invalid value: "": "spec.a" must not validate the schema (not)']],
  ['a format', { properties: { a: { type: 'string', format: 'ipv4' } } }, { a: '1.2.3' }, ['spec.a: Invalid value: "1.2.3": spec.a in body must be of type ipv4: "1.2.3"']],
  ['an unknown format', { properties: { a: { type: 'string', format: 'nothing' } } }, { a: 'x' }, []],
  ['a set', { properties: { a: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } } }, { a: ['x', 'y', 'x'] }, ['spec.a[2]: Duplicate value: "x"']],
  ['an embedded object', { properties: { a: { type: 'object', 'x-kubernetes-embedded-resource': true } } }, { a: { kind: 'Pod' } }, ['spec.a.apiVersion: Required value']],
])('%s', (_what, schema, spec, expected) => {
  expect(lines(atOnce(version(schema).validate(object(spec))))).toEqual(expected);
});

test('what was wrong before may stay as it was', () => {
  const rules = version({ properties: { a: { type: 'string', maxLength: 1 }, b: { type: 'string' }, list: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', maximum: 1 } } } } } });
  const old = object({ a: 'long', list: [{ k: 'x', v: 5 }] });
  expect(atOnce(rules.validateUpdate(object({ a: 'long', b: 'new', list: [{ k: 'y', v: 1 }, { k: 'x', v: 5 }] }), old))).toEqual([]);
  expect(lines(atOnce(rules.validateUpdate(object({ a: 'other', list: [{ k: 'x', v: 6 }] }), old)))).toEqual([
    'spec.a: Too long: may not be more than 1 byte', 'spec.list[0].v: Invalid value: 6: spec.list[0].v in body should be less than or equal to 1',
  ]);
});

test('the status alone', () => {
  const rules = version({ required: ['a'] }, { type: 'object', properties: { phase: { type: 'string', enum: ['A'] } } } as V1JSONSchemaProps);
  expect(lines(atOnce(rules.validateStatus(object({}, { status: { phase: 'B' } }), object({}))))).toEqual(['status.phase: Unsupported value: "B": supported values: "A"']);
});

/** How many pauses a piece of work has. */
function pauses(steps: Steps<unknown>): number {
  let count = 0;
  while (steps.next().done !== true) count++;
  return count;
}

test('what takes long has pauses', () => {
  let nested: Body = { enum: ['never'] };
  for (let depth = 0; depth < 9; depth++) nested = { anyOf: [nested, nested] };
  expect(pauses(version({ properties: { a: { type: 'string', ...nested } } }).validate(object({ a: 'x' })))).toBeGreaterThan(25);
  const list = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
  const numbered = Array.from({ length: 10_000 }, (_, i) => `v${i}`);
  expect(pauses(version({ properties: { list } }).validate(object({ list: numbered })))).toBeGreaterThan(900);
  expect(pauses(version({ properties: { list } }).validateUpdate(object({ list: numbered }), object({})))).toBeGreaterThan(900);
  const named = { type: 'object', additionalProperties: { type: 'object', required: Array.from({ length: 400 }, (_, i) => `k${i}`) } };
  expect(pauses(version({ properties: { named } }).validate(object({ named: { a: {}, b: {}, c: {} } })))).toBeGreaterThan(2);
});

test('more problems than a call can have arguments', () => {
  const rules = version({ properties: { map: { type: 'object', additionalProperties: { type: 'string', maxLength: 1 } } } });
  const map = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, 'xx']));
  expect(atOnce(rules.validate(object({ map })))).toHaveLength(200_000);
});

test('the many fields of a schema are not looked for in each of many objects', () => {
  const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, { type: 'string' }]));
  let looks = 0;
  const item = new Proxy({ k7: 1 }, { getOwnPropertyDescriptor: (target, name) => (looks++, Reflect.getOwnPropertyDescriptor(target, name)) });
  const rules = version({ properties: { list: { type: 'array', items: { type: 'object', properties } } } });
  expect(lines(atOnce(rules.validate(object({ list: [item] }))))).toEqual(['spec.list[0].k7: Invalid value: "integer": spec.list[0].k7 in body must be of type string: "integer"']);
  expect(looks).toBeLessThan(10);
});

test('defaults do not blow an object up', () => {
  const rules = version({ properties: { list: { type: 'array', items: { type: 'object', properties: { text: { type: 'string', default: 'x'.repeat(1000) } } } } } });
  const list = (): Body[] => Array.from({ length: 4000 }, () => ({}));
  const written = list();
  expect(() => rules.fillDefaults(object({ list: written }))).toThrow('defaults add more than 3145728 bytes');
  expect(written.filter(({ text }) => text !== undefined).length).toBeLessThan(3200);
  // What is stored can be read all the same.
  const stored = object({ list: list() });
  expect(rules.settle(stored)).toBe(true);
  expect(JSON.stringify(stored).length).toBeLessThan(4 << 20);
});

test('values may be nested as deeply as a request can say', () => {
  let deep: Body = { type: 'integer' };
  let value: unknown = 1;
  for (let depth = 0; depth < 990; depth++) {
    deep = depth % 2 ? { type: 'object', additionalProperties: deep } : { type: 'array', items: deep };
    value = depth % 2 ? { a: value } : [value];
  }
  expect(atOnce(version({ properties: { deep } }).validate(object({ deep: value })))).toEqual([]);
});

test('more unknown fields than a call can have arguments', () => {
  const draft = object({}, Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, 1])));
  expect(version({}).coerce(draft, true, metadata)).toHaveLength(200_000);
  expect(Object.keys(draft)).toHaveLength(4);
});
