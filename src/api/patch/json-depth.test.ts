import { isDeeperThan } from './json-depth.js';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 ? [2, value] : { a: value, b: 1 };
  return value;
};

test('levels of objects and lists are counted', () => {
  expect(isDeeperThan(1, 0)).toBe(false);
  expect(isDeeperThan([], 0)).toBe(true);
  expect(isDeeperThan({ a: [1], b: { c: 1 } }, 2)).toBe(false);
  expect(isDeeperThan({ a: [1], b: { c: [] } }, 2)).toBe(true);
  expect(isDeeperThan(nested(50), 50)).toBe(false);
  expect(isDeeperThan(nested(51), 50)).toBe(true);
  const shared = nested(10);
  expect(isDeeperThan({ a: shared, b: { c: shared } }, 11)).toBe(true);
  expect(isDeeperThan({ a: { c: shared }, b: shared }, 12)).toBe(false);
});

test('neither depth nor repetition is too much', () => {
  expect(isDeeperThan(nested(200_000), 1000)).toBe(true);
  let value: unknown = 'x';
  for (let i = 0; i < 50; i++) value = [value, value];
  expect(isDeeperThan(value, 50)).toBe(false);
});
