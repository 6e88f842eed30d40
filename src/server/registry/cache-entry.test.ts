import { CacheEntry } from './cache-entry.js';
import { StoredForm } from './stored-form.js';

const form = new StoredForm('v1', 'ConfigMap');
const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, 'v'])) };

test('a large object is parsed in steps, and once', () => {
  const entry = CacheEntry.of(form, 'ns/a', 'ADDED', form.encode(object), 7, 7);
  const steps = entry.objectSteps();
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(count).toBeGreaterThan(4);
  expect(step.value).toEqual({ ...object, metadata: { name: 'a', resourceVersion: '7' } });
  expect(entry.object).toBe(step.value);
  expect(entry.objectSteps().next()).toEqual({ done: true, value: step.value });
  // What was forgotten is parsed again.
  entry.release();
  expect(entry.object).not.toBe(step.value);
  expect(entry.object).toEqual(step.value);
});
