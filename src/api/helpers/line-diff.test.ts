import { jsonDiff } from './line-diff.js';
import { matchingBlocks } from './matching-blocks.js';

test('equal values have no difference', () => {
  expect(jsonDiff({ a: [1, 2] }, { a: [1, 2] })).toBe('');
});

test('the longest common block is found first, then what lies beside it', () => {
  expect(matchingBlocks([...'abxcd'], [...'abcd'])).toEqual([{ before: 0, after: 0, size: 2 }, { before: 3, after: 2, size: 2 }]);
  // A longest common subsequence would keep both of the single letters; the block of two goes first.
  expect(matchingBlocks([...'qabz'], [...'abqz'])).toEqual([{ before: 1, after: 0, size: 2 }, { before: 3, after: 3, size: 1 }]);
  expect(matchingBlocks([], ['a'])).toEqual([]);
});

test('lines that are everywhere begin no block in a long text', () => {
  const many = Array.from({ length: 250 }, (_, i) => (i % 2 ? '},' : `line ${i}`));
  expect(matchingBlocks(['},'], many)).toEqual([]);
  expect(matchingBlocks(many, many)).toEqual([{ before: 0, after: 0, size: 250 }]);
});

test('changes that are six equal lines apart are told in one hunk, farther ones in two', () => {
  const list = (length: number, ...at: number[]): number[] => Array.from({ length }, (_, i) => (at.includes(i) ? -1 : i));
  expect(jsonDiff(list(20), list(20, 3, 10)).match(/^@@/gm)).toHaveLength(1);
  expect(jsonDiff(list(20), list(20, 3, 11)).match(/^@@/gm)).toHaveLength(2);
});
