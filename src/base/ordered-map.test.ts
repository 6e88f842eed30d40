import fc from 'fast-check';
import { OrderedMap, compareUtf8 } from './ordered-map.js';

const key = fc.integer({ min: 0, max: 400 }).map((n) => `k${n}`);
const step = fc.record({ key, remove: fc.boolean() });

test('behaves like a sorted map under any series of writes, and old versions stay as they were', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 600 }), key, key, (steps, a, b) => {
      let map = OrderedMap.empty<number>();
      const model = new Map<string, number>();
      const versions: [OrderedMap<number>, string][] = [];
      steps.forEach((s, i) => {
        map = s.remove ? map.delete(s.key) : map.set(s.key, i);
        if (s.remove) model.delete(s.key);
        else model.set(s.key, i);
        if (i % 50 === 0) versions.push([map, JSON.stringify(map.values())]);
      });
      const sorted = [...model].sort((x, y) => (x[0] < y[0] ? -1 : 1));
      expect(map.size).toBe(model.size);
      expect(map.values()).toEqual(sorted.map((e) => e[1]));
      const [from, to] = a < b ? [a, b] : [b, a];
      const inRange = sorted.filter((e) => e[0] >= from && e[0] < to);
      expect(map.values(from, to)).toEqual(inRange.map((e) => e[1]));
      expect(map.values(from, to, 2)).toEqual(inRange.slice(0, 2).map((e) => e[1]));
      expect(map.count(from, to)).toBe(inRange.length);
      expect(map.rank(a)).toBe(sorted.filter((e) => e[0] < a).length);
      for (const [k, v] of model) expect(map.get(k)).toBe(v);
      for (const [version, text] of versions) expect(JSON.stringify(version.values())).toBe(text);
    }),
    { numRuns: 60 },
  );
});

test('compareUtf8 orders as the bytes do', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(Math.sign(compareUtf8(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
});

test('fifty thousand keys in and half of them out', () => {
  let map = OrderedMap.empty<number>();
  for (let i = 0; i < 50_000; i++) map = map.set(`n${(i * 7919) % 50_000}`, i);
  expect(map.size).toBe(50_000);
  for (let i = 0; i < 50_000; i += 2) map = map.delete(`n${i}`);
  expect(map.size).toBe(25_000);
  expect(map.count('n1', 'n2')).toBe(map.values('n1', 'n2').length);
});
