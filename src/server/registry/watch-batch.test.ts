import type { CacheEntry } from './cache-entry.js';
import type { View } from './view.js';
import { eventBatches, type SelectedEvent } from './watch-batch.js';

const view = { frame: (type: string, entry: CacheEntry) => Buffer.from(`${type} ${entry.key};`) } as unknown as View;
const event = (key: string, length: number): SelectedEvent => ({ type: 'ADDED', entry: { key, frame: { length } } as CacheEntry });
const told = (events: readonly SelectedEvent[]): string[] => [...eventBatches(view, events)].map((batch) => batch.bytes(false).toString());

test('large events go one by one, small ones a hundred at a time, in their order', () => {
  expect(told([])).toEqual([]);
  expect(told([event('a', 10), event('b', 300_000), event('c', 200_000), event('d', 200_000), event('e', 1)])).toEqual(['ADDED a;ADDED b;', 'ADDED c;ADDED d;', 'ADDED e;']);
  const many = told(Array.from({ length: 250 }, (_, i) => event(`${i}`, 100)));
  expect(many.map((text) => text.split(';').length - 1)).toEqual([100, 100, 50]);
  expect(many.join('')).toBe(Array.from({ length: 250 }, (_, i) => `ADDED ${i};`).join(''));
});

test('batches count what they hold, unless the cache holds it anyway', () => {
  const events = [event('a', 1000), event('b', 500)];
  expect([...eventBatches(view, events)].map(({ size }) => size)).toEqual([1500]);
  expect([...eventBatches(view, events, true)].map(({ size }) => size)).toEqual([0]);
});
