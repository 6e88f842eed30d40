import fc from 'fast-check';
import { jsonEqual, type JsonObject } from './json.js';
import { applyJsonPatch } from './json-patch.js';

const apply = (document: JsonObject, ...operations: JsonObject[]): unknown => applyJsonPatch(document, operations);
const document = { a: { b: [1, 2, 3], 'x/y': 1, '~': 2 }, n: null };

test.each<[JsonObject, unknown]>([
  [{ op: 'add', path: '/a/b/-', value: 4 }, { ...document, a: { ...document.a, b: [1, 2, 3, 4] } }],
  [{ op: 'add', path: '/a/b/1', value: 9 }, { ...document, a: { ...document.a, b: [1, 9, 2, 3] } }],
  [{ op: 'add', path: '/c' }, { ...document, c: null }],
  [{ op: 'remove', path: '/a/b/-1' }, { ...document, a: { ...document.a, b: [1, 2] } }],
  [{ op: 'remove', path: '/a/x~1y' }, { ...document, a: { b: [1, 2, 3], '~': 2 } }],
  [{ op: 'replace', path: '/a/~0', value: 5 }, { ...document, a: { ...document.a, '~': 5 } }],
  [{ op: 'replace', path: '/a/b/01', value: 5 }, { ...document, a: { ...document.a, b: [1, 5, 3] } }],
  [{ op: 'replace', path: '/new', value: 1 }, { ...document, new: 1 }],
  [{ op: 'replace', path: '', value: { z: 1 } }, { z: 1 }],
  [{ op: 'copy', from: '/missing', path: '/c' }, { ...document, c: null }],
  [{ op: 'copy', from: '/a/b', path: '/c' }, { ...document, c: [1, 2, 3] }],
  [{ op: 'move', from: '/a/b', path: '/c' }, { a: { 'x/y': 1, '~': 2 }, n: null, c: [1, 2, 3] }],
  [{ op: 'test', path: '/missing', value: null }, document],
  [{ op: 'test', path: '/a/b', value: [1, 2, 3] }, document],
  [{ op: 'test', path: '', value: document }, document],
  [{ op: 'add', path: '/__proto__', value: 1 }, JSON.parse('{"a":{"b":[1,2,3],"x/y":1,"~":2},"n":null,"__proto__":1}')],
])('%j', (operation, expected) => {
  expect(apply(document, operation)).toEqual(expected);
});

test.each<JsonObject>([
  { op: 'remove', path: '/missing' }, { op: 'remove', path: '/a/b/3' }, { op: 'add', path: '/a/b/5', value: 1 }, { op: 'add', path: '/x/y', value: 1 },
  { op: 'add', path: '/a/b/x', value: 1 }, { op: 'test', path: '/a/b', value: [1, 2] }, { op: 'move', from: '/missing', path: '/c' }, { op: 'add', path: '', value: {} },
  { op: 'replace', path: '', value: 1 }, { op: 'replace', path: '/a/b/7', value: 1 }, { op: 'frobnicate', path: '/a' }, { path: '/a' }, { op: 'add', value: 1 },
  { op: 'remove', path: '/n/x' }, { op: 'add', path: '/constructor/x', value: 1 },
])('%j does not apply', (operation) => {
  expect(() => apply(document, operation)).toThrow(expect.objectContaining({ code: 422, message: 'the server rejected our request due to an error in our request' }) as Error);
});

test('copies are independent and the original stays as it was', () => {
  const original = { a: { list: [1] } };
  const frozen = structuredClone(original);
  const result = apply(original, { op: 'copy', from: '/a', path: '/b' }, { op: 'add', path: '/b/list/-', value: 2 }, { op: 'add', path: '/a/x', value: 1 }, { op: 'copy', from: '/b', path: '/c' }, { op: 'remove', path: '/b/list/0' });
  expect(result).toEqual({ a: { list: [1], x: 1 }, b: { list: [2] }, c: { list: [1, 2] } });
  expect(original).toEqual(frozen);
});

test('values of the patch are not changed by later operations', () => {
  const operations = [{ op: 'add', path: '/v', value: { list: [] as number[] } }, { op: 'add', path: '/v/list/-', value: 1 }];
  expect(applyJsonPatch({}, operations)).toEqual({ v: { list: [1] } });
  expect(operations[0]!.value).toEqual({ list: [] });
});

test('copies cannot blow a document up', () => {
  const operations: JsonObject[] = [{ op: 'add', path: '/a', value: 'x'.repeat(1000) }];
  for (let i = 0; i < 30; i++) operations.push({ op: 'copy', from: '/a', path: `/b${i}` }, { op: 'replace', path: '/a', value: {} });
  operations.splice(1, operations.length, ...Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/a', path: `/k${i}` })));
  expect(() => apply({}, ...operations)).not.toThrow();
  const doubling: JsonObject[] = [{ op: 'add', path: '/a', value: [1] }];
  for (let i = 0; i < 40; i++) doubling.push({ op: 'copy', from: '/a', path: '/a/-' });
  expect(() => apply({}, ...doubling)).toThrow(expect.objectContaining({ code: 422 }) as Error);
});

test('what a patch nests too deeply does not apply', () => {
  const refused = expect.objectContaining({ code: 422, cause: new Error('the outcome is nested too deeply') }) as Error;
  const deep = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
  const longer = (count: number): JsonObject[] => Array.from({ length: count }, (_, i) => ({ op: 'add', path: '/a'.repeat(900 * i + 1), value: deep(900) }));
  expect(() => apply({}, ...longer(1))).not.toThrow();
  expect(() => apply({}, ...longer(3))).toThrow(refused);
  const wrapped = (count: number): JsonObject[] => Array.from({ length: count }, () => [{ op: 'move', from: '/a', path: '/b' }, { op: 'add', path: '/a', value: {} }, { op: 'move', from: '/b', path: '/a/a' }]).flat();
  expect(() => apply({ a: {} }, ...wrapped(900))).not.toThrow();
  expect(() => apply({ a: {} }, ...wrapped(1100))).toThrow(refused);
});

test('copies of copies stay independent, however they share their parts', () => {
  const copies = [{ op: 'copy', from: '/a', path: '/b' }, { op: 'copy', from: '/b', path: '/a/x/b' }, { op: 'copy', from: '/a', path: '/c' }];
  const result = apply({ a: { x: { y: [1] } } }, ...copies, { op: 'add', path: '/a/x/b/x/y/-', value: 2 }, { op: 'remove', path: '/c/x/y/0' }, { op: 'add', path: '/b/x/z', value: 3 });
  expect(result).toEqual({ a: { x: { y: [1], b: { x: { y: [1, 2] } } } }, b: { x: { y: [1], z: 3 } }, c: { x: { y: [], b: { x: { y: [1] } } } } });
});

test('a sequence of operations equals the operations one after the other', () => {
  const path = fc.constantFrom('/a', '/b', '/a/0', '/a/-', '/b/c', '/b/c/d');
  const operation = fc.record({ op: fc.constantFrom('add', 'remove', 'replace', 'copy', 'move', 'test'), path, from: path, value: fc.jsonValue({ maxDepth: 2 }) });
  const attempt = (from: unknown, operations: JsonObject[]): unknown => {
    try {
      return applyJsonPatch(from as JsonObject, operations);
    } catch {
      return undefined;
    }
  };
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
      const start = { a: [1, { z: 1 }], b: { c: { d: 1 } } };
      let step: unknown = start;
      for (const one of operations) step = step === undefined ? undefined : attempt(structuredClone(step), [one]);
      expect(jsonEqual(attempt(start, operations) ?? null, step ?? null)).toBe(true);
      expect(start).toEqual({ a: [1, { z: 1 }], b: { c: { d: 1 } } });
    }),
  );
});
