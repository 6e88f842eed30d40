import { atOnce, type Steps } from '../../base/steps.js';
import type { TypeSchema } from '../codec/schema.js';
import { Schemas } from '../codec/schemas.js';
import { jsonPatchSteps } from './json-patch.js';
import { applyMergePatch, mergePatchSteps } from './merge-patch.js';
import { applyStrategicMergePatch, strategicMergeSteps } from './strategic-merge.js';

const COUNT = 30_000;
const keyed = (value: (i: number) => unknown): Record<string, unknown> => Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`k${i}`, value(i)]));

/** The outcome, and how many steps it took. */
function inSteps<T>(steps: Steps<T>): [T, number] {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done === true) return [step.value, count];
  }
}

const original = { kind: 'ConfigMap', metadata: { name: 'a', labels: { a: 'b' } }, data: keyed((i) => `v${i}`) };
const change = { kind: 'ConfigMap', metadata: { labels: { a: null, c: 'd' } }, data: { ...keyed((i) => (i % 3 === 0 ? null : i % 3 === 1 ? 'other' : `v${i}`)), more: 'v', ['__proto__x']: 'y' } };
const before = JSON.stringify(original);

test('a merge patch of very many keys is applied in steps, as it is at once', () => {
  for (const [live, patch] of [[original, change], [original, { data: { k0: null } }], [{ data: { k0: 'old' } }, change], [{ data: null }, change], [{ data: ['a'] }, change]] as const) {
    const [outcome, steps] = inSteps(mergePatchSteps(live, patch));
    expect(outcome).toEqual(applyMergePatch(live, patch));
    expect(JSON.stringify(Object.keys(outcome['data'] as object))).toBe(JSON.stringify(Object.keys(applyMergePatch(live, patch)['data'] as object)));
    if (live === original) expect(steps).toBeGreaterThan(10);
  }
  expect(JSON.stringify(original)).toBe(before);
});

test('so is a strategic one', () => {
  const type: TypeSchema = new Schemas().kind({ group: '', version: 'v1', kind: 'ConfigMap' })!;
  // Deletions would need no type, changes of a map of texts do not either.
  const patch = { ...change, data: { ...change.data, nothing: null } };
  const [outcome, steps] = inSteps(strategicMergeSteps(original, patch, type));
  expect(outcome).toEqual(applyStrategicMergePatch(original, patch, type));
  expect(steps).toBeGreaterThan(20);
  const directive = { data: { ...patch.data, $patch: 'replace' } };
  expect(atOnce(strategicMergeSteps(original, directive, type))).toEqual(applyStrategicMergePatch(original, directive, type));
  expect(JSON.stringify(original)).toBe(before);
});

test('what a JSON patch changes is copied in steps, and the original stays as it is', () => {
  const list = { items: Array.from({ length: COUNT }, (_, i) => ({ i })), rest: original };
  const was = JSON.stringify(list);
  const [outcome, steps] = inSteps(jsonPatchSteps(list, [
    { op: 'add', path: '/items/0', value: { i: -1 } },
    { op: 'replace', path: '/items/5/i', value: 'x' },
    { op: 'copy', from: '/items/1', path: '/items/-' },
    { op: 'add', path: '/rest/data/new', value: 1 },
    { op: 'remove', path: '/rest/data/k7' },
    { op: 'move', from: '/rest/data/k8', path: '/rest/data/k9' },
  ]));
  const { items, rest } = outcome as unknown as typeof list;
  expect([items.length, items[0], items[5], items[COUNT + 1]]).toEqual([COUNT + 2, { i: -1 }, { i: 'x' }, { i: 0 }]);
  expect(rest.data).toEqual({ ...Object.fromEntries(Object.entries(original.data).filter(([key]) => key !== 'k7' && key !== 'k8')), new: 1, k9: 'v8' });
  expect(steps).toBeGreaterThan(25);
  expect(JSON.stringify(list)).toBe(was);
});

test('ways that lead nowhere are told as ever', () => {
  const list = { items: Array.from({ length: COUNT }, () => 'v') };
  for (const path of ['/items/x/y', '/none/a', '/items/99999999/b', '/items/0/b', 'items']) expect(() => atOnce(jsonPatchSteps(list, [{ op: 'add', path, value: 1 }]))).toThrow('the server rejected our request');
});
