import { weighsAtLeast } from './weight.js';

test('values are weighed about as their JSON is long', () => {
  for (const value of ['x'.repeat(1000), Array.from({ length: 250 }, () => 12), Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key${i}`, true])), { a: { b: ['x'.repeat(990)] } }]) {
    const { length } = JSON.stringify(value);
    expect(weighsAtLeast(value, length / 2)).toBe(true);
    expect(weighsAtLeast(value, length * 2)).toBe(false);
  }
});

test('what is known to be heavy is not looked at to its end', () => {
  let value: unknown = 'x';
  for (let i = 0; i < 50; i++) value = [value, value];
  expect(weighsAtLeast(value, 100_000)).toBe(true);
});
