import { overlappingPathWarnings } from './path-warnings.js';

const warningsOf = (paths: readonly string[]): string[] =>
  overlappingPathWarnings([{ name: 'v', configMap: { name: 'c', items: paths.map((path) => ({ key: 'k', path })) } }]).map((text) => text.replace(/^.*overlapping paths: /, ''));

test('paths at, above or below each other, in the order in which they stand', () => {
  expect(warningsOf(['a/b', 'ab', 'a-b', 'a', 'a/c/', 'a/b/c', 'a/b', ''])).toEqual([
    '"a" with "a/b"', '"a/c" with "a"', '"a/b/c" with "a/b"', '"a/b/c" with "a"', '"a/b" with "a/b"', '"a/b" with "a"', '"a/b" with "a/b/c"',
  ]);
  expect(warningsOf(['a-b', 'a/b', 'ab'])).toEqual([]);
});

test('there is an end to it', () => {
  expect(warningsOf(Array.from({ length: 500 }, (_, i) => 'a/'.repeat(i + 1)))).toHaveLength(1000);
});
