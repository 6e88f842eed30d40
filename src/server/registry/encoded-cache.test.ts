import type { KubeObject } from '../../api/meta/object.js';
import { CacheEntry } from './cache-entry.js';
import { EncodedCache } from './encoded-cache.js';
import { StoredForm } from './stored-form.js';

const form = new StoredForm('v1', 'ConfigMap');
const entry = (name: string): CacheEntry => CacheEntry.detached(form, name, { metadata: { name } } as KubeObject);

test('keeps what fits, by object and view', () => {
  const cache = new EncodedCache(1000);
  const [a, b] = [entry('a'), entry('b')];
  cache.set(a, 'one', Buffer.from('a1'));
  cache.set(a, 'two', Buffer.from('a2'));
  expect(cache.get(a, 'one')?.toString()).toBe('a1');
  expect(cache.get(a, 'two')?.toString()).toBe('a2');
  expect(cache.get(b, 'one')).toBeUndefined();
});

test('what is made again takes the place of what was there', () => {
  const cache = new EncodedCache(1000);
  const [a, b] = [entry('a'), entry('b')];
  cache.set(b, 'v', Buffer.from('kept'));
  cache.set(a, 'other', Buffer.from('kept'));
  for (let i = 0; i < 100; i++) cache.set(a, 'v', Buffer.alloc(100, i));
  expect(cache.get(a, 'v')?.[0]).toBe(99);
  expect([cache.get(a, 'other'), cache.get(b, 'v')].map(String)).toEqual(['kept', 'kept']);
});

test('forgets what was not asked for, never more than half of it at a time, and never holds more than its bound', () => {
  const cache = new EncodedCache(1000);
  const entries = Array.from({ length: 100 }, (_, i) => entry(`e${i}`));
  const often = entry('often');
  cache.set(often, 'v', Buffer.alloc(100));
  for (const item of entries) {
    cache.set(item, 'v', Buffer.alloc(100));
    expect(cache.get(often, 'v')).toBeDefined();
  }
  const held = [often, ...entries].filter((item) => cache.get(item, 'v') !== undefined);
  expect(held.length).toBeLessThanOrEqual(10);
  expect(cache.get(entries[99]!, 'v')).toBeDefined();
});

test('what is bigger than a generation is not kept', () => {
  const cache = new EncodedCache(1000);
  const big = entry('big');
  cache.set(big, 'v', Buffer.alloc(501));
  expect(cache.get(big, 'v')).toBeUndefined();
});

test('what is asked for again lets go of the memory that it is a part of', () => {
  const cache = new EncodedCache(1000);
  const a = entry('a');
  cache.set(a, 'v', Buffer.allocUnsafeSlow(300).fill('x').subarray(100, 200));
  cache.set(entry('b'), 'v', Buffer.alloc(450));
  const again = cache.get(a, 'v');
  expect(again?.toString()).toBe('x'.repeat(100));
  expect(again?.buffer.byteLength).toBe(100);
});
