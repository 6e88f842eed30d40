import fc from 'fast-check';
import type { Steps } from '../../base/steps.js';
import type { ApplyType } from './apply-type.js';
import { sameValue } from './atom.js';
import { compareObjects } from './compare.js';
import { compareSteps } from './compare-steps.js';
import { fieldSetOf, fieldSetSteps } from './field-set.js';
import { difference, intersection, isWithin, ordered, sameTree, union, type FieldTree } from './field-tree.js';
import { differenceSteps, intersectionSteps, isWithinSteps, orderedSteps, sameTreeSteps, unionSteps } from './field-tree-steps.js';
import { customType } from './json-schema-types.js';
import { mergeObjects, mergeSteps } from './merge.js';
import { parseTree, parseTreeSteps } from './parse-tree.js';
import { reconcileSteps, reconcileTree, withNamedFields, withNamedSteps } from './reconcile.js';
import { removeFields, removeSteps } from './remove.js';
import { sameValueSteps } from './same-value-steps.js';
import { TypedError } from './typed-error.js';
import { checkTyped, checkTypedSteps } from './validate.js';

const TEXT = { type: 'string' };
const ITEM = { type: 'object', properties: { a: TEXT, b: { type: 'integer', default: 5 }, more: { type: 'object', additionalProperties: TEXT } } };
const TYPE: ApplyType = customType(
  {
    type: 'object',
    properties: {
      set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      numbers: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
      map: { type: 'array', items: ITEM, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
      pairs: { type: 'array', items: ITEM, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] },
      atomic: { type: 'array', items: TEXT },
      dictionary: { type: 'object', additionalProperties: TEXT },
      nested: { type: 'object', additionalProperties: ITEM },
      whole: { type: 'object', additionalProperties: TEXT, 'x-kubernetes-map-type': 'atomic' },
    },
  },
  { map: { atomic: false, fields: new Map(), nullable: [], element: { scalar: 'string' } } },
);

/** Which numbers there are (each `every`-th from `from` on, but those divisible by `without`), and in which order. */
const numbers = fc.record({ count: fc.constantFrom(0, 3, 4500), every: fc.integer({ min: 1, max: 3 }), from: fc.integer({ min: 0, max: 50 }), without: fc.integer({ min: 2, max: 9 }), backwards: fc.boolean(), repeat: fc.boolean(), text: fc.constantFrom('v', 'w') });
type Numbers = typeof numbers extends fc.Arbitrary<infer T> ? T : never;

function listed({ count, every, from, without, backwards, repeat }: Numbers): number[] {
  const found = Array.from({ length: count }, (_, i) => from + i * every).filter((n) => n % without !== 0);
  if (repeat && found.length > 2) found.push(found[1]!, found[2]!);
  return backwards ? found.reverse() : found;
}

const dictionaryOf = (all: Numbers): object => Object.fromEntries(listed(all).map((n) => [`k${n}`, n % 7 ? all.text : 'x']));
const itemsOf = (all: Numbers): object[] => listed(all).map((n, i) => ({ a: n % 5 ? `k${n}` : `k ${n}`, ...(n % 3 ? {} : { b: n }), ...(i === 1 ? { more: dictionaryOf(all) } : {}), c: all.text }));
/** Counterexamples are told as what the objects are made from. */
const shape = fc.record({ set: numbers, numbers, map: numbers, pairs: numbers, atomic: numbers, dictionary: numbers, nested: numbers, whole: numbers }, { requiredKeys: [] });
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;
const MAKERS: { readonly [K in keyof Required<Shape>]: (all: Numbers) => unknown } = {
  set: (all) => listed(all).map((n) => `s${n}`), numbers: listed, map: itemsOf, pairs: itemsOf, atomic: (all) => listed(all).map(String), dictionary: dictionaryOf,
  nested: (all) => ({ x: { more: dictionaryOf(all) }, y: { a: all.text } }), whole: dictionaryOf,
};
const objectOf = (from: Shape): object => Object.fromEntries(Object.entries(from).map(([key, all]) => [key, MAKERS[key as keyof Shape](all)]));

/** The outcome of work in steps, which must be that of the work at once. */
function outcome<T>(steps: Steps<T>): { readonly value?: T; readonly error?: string; readonly steps: number } {
  for (let count = 1; ; count++) {
    let step;
    try {
      step = steps.next();
    } catch (error) {
      if (!(error instanceof TypedError)) throw error;
      return { error: error.message, steps: count };
    }
    if (step.done === true) return { value: step.value, steps: count };
  }
}

const shortened = (text: string | undefined): string => String(text).slice(0, 300);

function same<T>(steps: Steps<T>, plain: () => T): T | undefined {
  let expected: { readonly value?: T; readonly error?: string };
  try {
    expected = { value: plain() };
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    expected = { error: error.message };
  }
  const { value, error } = outcome(steps);
  // Sets are compared with their order: it is part of what is stored.
  expect(error).toBe(expected.error);
  const [is, shouldBe] = [JSON.stringify(value), JSON.stringify(expected.value)];
  if (is !== shouldBe) throw new Error(`${shortened(is)} should be ${shortened(shouldBe)}`);
  return value;
}

test('work in steps comes to what the work at once comes to', () => {
  fc.assert(
    fc.property(shape, shape, (from, to) => {
      const [live, next] = [objectOf(from), objectOf(to)];
      same(checkTypedSteps(TYPE, next), () => checkTyped(TYPE, next));
      same(checkTypedSteps(TYPE, next, true), () => checkTyped(TYPE, next, true));
      same(sameValueSteps(live, next), () => sameValue(live, next));
      same(sameValueSteps(live, JSON.parse(JSON.stringify(live))), () => true);
      same(compareSteps(TYPE, live, next, false), () => compareObjects(TYPE, live, next, false));
      same(compareSteps(TYPE, {}, next, false), () => compareObjects(TYPE, {}, next, false));
      const merged = outcome(mergeSteps(TYPE, live, next));
      expect(merged.value).toEqual(mergeObjects(TYPE, live, next));
      const [a, b] = [live, next].map((one) => same(fieldSetSteps(TYPE, one), () => fieldSetOf(TYPE, one))) as [FieldTree, FieldTree];
      same(withNamedSteps(TYPE, a), () => withNamedFields(TYPE, a));
      same(reconcileSteps(TYPE, a), () => reconcileTree(TYPE, a));
      same(unionSteps(a, b), () => union(a, b));
      same(differenceSteps(a, b), () => difference(a, b));
      same(intersectionSteps(a, b), () => intersection(a, b));
      same(isWithinSteps(a, b), () => isWithin(a, b));
      same(isWithinSteps(outcome(intersectionSteps(a, b)).value!, b), () => true);
      same(sameTreeSteps(a, b), () => sameTree(a, b));
      same(sameTreeSteps(a, fieldSetOf(TYPE, live)), () => true);
      same(removeSteps(TYPE, live, b), () => removeFields(TYPE, live, b));
      const mixed = { ...Object.fromEntries(Object.entries(b).reverse()) };
      same(orderedSteps(mixed), () => ordered(mixed));
      same(parseTreeSteps(JSON.parse(JSON.stringify(a))), () => parseTree(JSON.parse(JSON.stringify(a))));
    }),
    { numRuns: 10 },
  );
});

test('sets that stay as they are stay the very same ones', () => {
  const tree = fieldSetOf(TYPE, { dictionary: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 'v'])) });
  const other = { 'f:spec': {} };
  expect(outcome(differenceSteps(tree, other)).value).toBe(tree);
  expect(outcome(unionSteps(tree, JSON.parse(JSON.stringify(tree)) as FieldTree)).value).toBe(tree);
  expect(outcome(withNamedSteps(undefined, tree)).value).toBe(tree);
});

test('no step looks at more than some thousand entries', () => {
  const big = { dictionary: Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, 'v'])) };
  const half = { dictionary: Object.fromEntries(Object.entries(big.dictionary).filter((_, i) => i % 2)) };
  const list = { map: Array.from({ length: 40_000 }, (_, i) => ({ a: `a b${40_000 - i}` })) };
  const [a, b] = [fieldSetOf(TYPE, big), fieldSetOf(TYPE, half)];
  const works: Record<string, Steps<unknown>> = {
    check: checkTypedSteps(TYPE, list), compare: compareSteps(TYPE, half, big, false), compareLists: compareSteps(TYPE, {}, list, false), fields: fieldSetSteps(TYPE, list), merge: mergeSteps(TYPE, half, big),
    union: unionSteps(a, b), difference: differenceSteps(a, b), intersection: intersectionSteps(a, b), within: isWithinSteps(b, a), same: sameTreeSteps(a, fieldSetOf(TYPE, big)),
    remove: removeSteps(TYPE, big, b), named: withNamedSteps(TYPE, a), reconcile: reconcileSteps(TYPE, a), parse: parseTreeSteps(a), values: sameValueSteps(big, JSON.parse(JSON.stringify(big))),
  };
  for (const [name, work] of Object.entries(works)) expect([name, outcome(work).steps > 9]).toEqual([name, true]);
});
