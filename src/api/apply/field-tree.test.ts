import { jest } from '@jest/globals';
import fc from 'fast-check';
import type { ApplyType } from './apply-type.js';
import { compareObjects } from './compare.js';
import { difference, intersection, isWithin, LEAF, listOf, ordered, pathsOf, treeOfPath, union, type FieldTree } from './field-tree.js';
import { sortElements } from './path-element.js';

const step = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd').map((name) => `f:${name}`), fc.constantFrom('x', 'y z').map((name) => `k:{"name":"${name}"}`), fc.constantFrom(1, 10, 2).map((value) => `v:${value}`));
const paths = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 12 });
const treeOf = (all: readonly (readonly string[])[]): FieldTree => all.reduce<FieldTree>((tree, path) => union(tree, treeOfPath(path)), LEAF);
const membersOf = (tree: FieldTree): string[] => [...pathsOf(tree)].map((path) => path.join('/')).sort();
const isOrdered = (tree: FieldTree): boolean => ordered(tree) === tree && Object.values(tree).every(isOrdered);

test('sets are sets of paths, in order', () => {
  fc.assert(
    fc.property(paths, paths, (one, other) => {
      const [a, b] = [treeOf(one), treeOf(other)];
      const left = new Set(one.map((path) => path.join('/')));
      const right = new Set(other.map((path) => path.join('/')));
      expect(membersOf(a)).toEqual([...left].sort());
      expect(membersOf(union(a, b))).toEqual([...new Set([...left, ...right])].sort());
      expect(membersOf(difference(a, b))).toEqual([...left].filter((path) => !right.has(path)).sort());
      expect(membersOf(intersection(a, b))).toEqual([...left].filter((path) => right.has(path)).sort());
      expect(isWithin(a, b)).toBe([...left].every((path) => right.has(path)));
      for (const tree of [a, union(a, b), difference(a, b), intersection(a, b)]) expect(isOrdered(tree)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('long sets are put in order without a look at each value for every comparison', () => {
  const numbers = Array.from({ length: 3000 }, (_, i) => `v:${(i * 7919) % 3001 - 1500}`);
  expect(sortElements([...numbers])).toEqual([...numbers].sort((a, b) => Number(a.slice(2)) - Number(b.slice(2))));
  expect(sortElements(['v:10', 'v:9', 'v:-0.5', 'v:1e+21', 'v:9007199254740993'])).toEqual(['v:-0.5', 'v:9', 'v:10', 'v:9007199254740993', 'v:1e+21']);
  const parse = jest.spyOn(JSON, 'parse');
  const texts = Array.from({ length: 1000 }, (_, i) => `v:"v${i}"`);
  expect(sortElements([...texts])).toEqual([...texts].sort());
  for (const nodeAt of [undefined, () => LEAF]) expect(Object.keys(listOf(texts, nodeAt, true))).toEqual(['.', ...[...texts].sort()]);
  sortElements(['v:"a b"', 'v:"a"']);
  expect(parse.mock.calls.length).toBeLessThan(10);
  parse.mockRestore();
});

test('long lists are compared with one look at each item', () => {
  const list = (count: number, from: number): number[] => Array.from({ length: count }, (_, i) => from + i);
  const type: ApplyType = { list: { atomic: false, keys: [], declaredKeys: [], element: { scalar: 'numeric' } } };
  const stringify = jest.spyOn(JSON, 'stringify');
  expect(compareObjects(type, list(1000, 0), list(1000, 1), false)).toEqual({ added: { 'v:1000': {} }, modified: {}, removed: { 'v:0': {} } });
  expect(compareObjects(type, [1, 2, 2, 3, 3], [1, 1, 2, 3, 3, 4], false)).toEqual({ added: { 'v:1': {}, 'v:2': {}, 'v:4': {} }, modified: {}, removed: { 'v:1': {}, 'v:2': {} } });
  expect(stringify).not.toHaveBeenCalled();
  stringify.mockRestore();
});
