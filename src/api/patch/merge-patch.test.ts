import fc from 'fast-check';
import { isObject, type JsonObject } from './json.js';
import { applyMergePatch } from './merge-patch.js';

test.each<[JsonObject, JsonObject, JsonObject]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: 'x' }, { a: { b: null, c: [null, { d: null }] } }, { a: { c: [null, {}] } }],
])('%j with %j', (original, patch, expected) => {
  expect(applyMergePatch(original, patch)).toEqual(expected);
});

test('applying a patch twice changes nothing more, and arguments stay as they were', () => {
  // Without lists: nulls inside those are a case of their own.
  const object = fc.object({ key: fc.constantFrom('a', 'b', '__proto__'), maxDepth: 3, values: [fc.constant(null), fc.string()] }).filter((value) => !JSON.stringify(value).includes('['));
  fc.assert(
    fc.property(object, object, (original, patch) => {
      fc.pre(isObject(original) && isObject(patch));
      const before = JSON.stringify([original, patch]);
      const once = applyMergePatch(original, patch);
      expect(applyMergePatch(once, patch)).toEqual(once);
      expect(JSON.stringify([original, patch])).toBe(before);
      for (const key of Object.keys(patch)) expect(Object.hasOwn(once, key)).toBe(patch[key] !== null);
    }),
  );
});
