import fc from 'fast-check';
import { RawJson } from '../../api/codec/raw-json.js';
import type { KubeObject } from '../../api/meta/object.js';
import { parseBesideFields, withFieldsText } from './beside-fields.js';

/** The object with its field sets parsed again. */
function whole(object: KubeObject): unknown {
  return JSON.parse(JSON.stringify(object, (_, value: unknown) => (value instanceof RawJson ? (JSON.parse(value.text) as unknown) : value)));
}

const object = (managedFields: unknown, more: object = {}): KubeObject => ({ metadata: { name: 'x', managedFields }, ...more }) as KubeObject;
const SET = { 'f:metadata': { 'f:labels': { '.': {}, 'f:a"}b\\': {} } }, 'k:{"name":"}"}': {} };

test('field sets are cut out as they stand', () => {
  const given = object([{ manager: 'a', fieldsV1: SET }, { manager: 'b' }, { manager: 'c', fieldsV1: {} }]);
  const parsed = parseBesideFields(JSON.stringify(given));
  expect(parsed.metadata?.managedFields?.[0]?.fieldsV1).toEqual(new RawJson(JSON.stringify(SET)));
  expect(whole(parsed)).toEqual(given);
  expect(withFieldsText(given, (fields) => JSON.stringify(fields))).toEqual(parsed);
});

test.each([
  object(undefined, { data: { fieldsV1: { a: 1 } } }),
  object([{ fieldsV1: SET }], { data: { fieldsV1: { a: 1 } } }),
  object([{ fieldsV1: null }, { fieldsV1: '\0' }]),
  object([], { spec: { template: { metadata: { managedFields: [{ fieldsV1: SET }] } } } }),
  object([{ fieldsV1: SET }], { data: { x: '"fieldsV1":{', fieldsV1: '{' } }),
])('nothing else is touched: %j', (given) => {
  expect(whole(parseBesideFields(JSON.stringify(given)))).toEqual(given);
  expect(whole(withFieldsText(given, (fields) => JSON.stringify(fields)))).toEqual(given);
});

test('any object comes back', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ manager: fc.string(), fieldsV1: fc.dictionary(fc.string(), fc.object({ maxDepth: 2 }), { noNullPrototype: true }) })), fc.jsonValue(), (managers, data) => {
      const given = JSON.parse(JSON.stringify(object(managers, { data: { data, fieldsV1: data } }))) as KubeObject;
      expect(whole(parseBesideFields(JSON.stringify(given)))).toEqual(given);
    }),
    { numRuns: 200 },
  );
});
