import { CacheEntry } from './cache-entry.js';
import { EncodedCache } from './encoded-cache.js';
import { ListBlocks } from './list-blocks.js';
import { StoredForm } from './stored-form.js';

const form = new StoredForm('v1', 'ConfigMap');
let revision = 0;
const entry = (name: string, text = ''): CacheEntry => CacheEntry.of(form, name, 'ADDED', Buffer.from(JSON.stringify({ metadata: { name }, data: { text } })), ++revision, revision);
const entries = (count: number, text = ''): CacheEntry[] => Array.from({ length: count }, (_, i) => entry(`e${i}`, text));

/** Puts a list together and tells how many objects its blocks have; those that are made anew are negative. */
function blocksOf(blocks: ListBlocks, list: readonly CacheEntry[]): number[] {
  const lengths: number[] = [];
  for (let from = 0; from < list.length; ) {
    const known = blocks.get(list, from);
    const to = known ? from + blocks.lengthOf(known) : blocks.end(list, from);
    if (!known) blocks.set(list.slice(from, to), Buffer.alloc(10));
    lengths.push(known ? to - from : from - to);
    from = to;
  }
  return lengths;
}

test('only blocks with changes are made anew', () => {
  const blocks = new ListBlocks(new EncodedCache(), 'v');
  const list = entries(220);
  expect(blocksOf(blocks, list)).toEqual([-50, -50, -50, -50, -20]);
  expect(blocksOf(blocks, list)).toEqual([50, 50, 50, 50, 20]);
  const changed = list.with(60, entry('e60'));
  expect(blocksOf(blocks, changed)).toEqual([50, -50, 50, 50, 20]);
  const longer = [...changed.slice(0, 120), entry('new'), ...changed.slice(120)];
  expect(blocksOf(blocks, longer)).toEqual([50, 50, -51, 50, 20]);
  // The first of a block is gone, and with it the block.
  expect(blocksOf(blocks, longer.filter((_, i) => i !== 50))).toEqual([50, -49, 51, 50, 20]);
  // What was at the end is there no more, or not the end any more.
  expect(blocksOf(blocks, longer.slice(0, 210))).toEqual([50, 50, 51, 50, -9]);
  expect(blocksOf(blocks, [...longer, entry('last')])).toEqual([50, 50, 51, 50, 9, -12]);
});

test('blocks of large objects are short', () => {
  const blocks = new ListBlocks(new EncodedCache(), 'v');
  const lengths = blocksOf(blocks, entries(20, 'x'.repeat(100_000)));
  expect(lengths.every((length) => -length <= 4)).toBe(true);
  expect(lengths.reduce((sum, length) => sum - length, 0)).toBe(20);
});
