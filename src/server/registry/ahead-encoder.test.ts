import { FakeClock } from '../../base/clock.js';
import { AheadEncoder } from './ahead-encoder.js';
import type { CacheEntry } from './cache-entry.js';
import type { CacheEvent } from './cache-event.js';
import type { ResourceCache } from './resource-cache.js';

function setUp() {
  const clock = new FakeClock();
  const encoded: string[] = [];
  const listeners = new Set<(event: CacheEvent) => void>();
  const cache = {
    onChange: (listener: (event: CacheEvent) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as ResourceCache;
  const end = new AheadEncoder(clock, ({ key, revision }) => encoded.push(`${key}@${revision}`)).follow(cache);
  const change = (key: string, revision: number, deleted = false): void => {
    for (const listener of listeners) listener({ entry: { key, revision } as CacheEntry, deleted } as CacheEvent);
  };
  return { clock, encoded, change, end };
}

test('objects are encoded when they have stayed as they are for a while', async () => {
  const { clock, encoded, change } = setUp();
  change('a', 1);
  change('b', 2);
  await clock.advance(200);
  change('a', 3);
  await clock.advance(150);
  expect(encoded).toEqual(['b@2']);
  await clock.advance(200);
  expect(encoded).toEqual(['b@2', 'a@3']);
  expect(clock.pending).toBe(0);
});

test('what is gone is not, nor anything after the end', async () => {
  const { clock, encoded, change, end } = setUp();
  change('a', 1);
  change('a', 2, true);
  await clock.advance(1000);
  change('b', 3);
  end();
  await clock.advance(1000);
  expect(encoded).toEqual([]);
  expect(clock.pending).toBe(0);
});
