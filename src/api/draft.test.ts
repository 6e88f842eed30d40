import { toDraft, toDraftSteps } from './draft.js';

const entries = [{ manager: 'a', fieldsV1: {} }];
const big = {
  metadata: { name: 'a', managedFields: entries },
  data: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, { i }])),
  list: Array.from({ length: 30_000 }, (_, i) => [i]),
  ...(JSON.parse('{"__proto__":{"x":1}}') as object),
};

test('a large object is copied in steps, as it is at once', () => {
  const steps = toDraftSteps(big);
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(count).toBeGreaterThan(25);
  const copy = step.value;
  expect(JSON.stringify(copy)).toBe(JSON.stringify(toDraft(big)));
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  // Entries of managed fields are shared, nothing else is.
  expect(copy.metadata.managedFields).not.toBe(entries);
  expect(copy.metadata.managedFields[0]).toBe(entries[0]);
  expect(copy.data['k5']).not.toBe(big.data['k5']);
  expect(copy.list[5]).not.toBe(big.list[5]);
});
