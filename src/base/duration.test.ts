import { parseDuration } from './duration.js';

test.each([
  ['0', 0], ['1s', 1000], ['1h30m', 5_400_000], ['1.5s', 1500], ['500ms', 500], ['-2m', -120_000],
  ['', undefined], ['5', undefined], ['1x', undefined], ['s', undefined],
])('parseDuration(%p) is %p', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});
