import fc from 'fast-check';
import { JsonSizes } from './json-size.js';

test('sizes are those of the text', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => expect(new JsonSizes().of(value)).toBe(Buffer.byteLength(JSON.stringify(value)))));
  expect(new JsonSizes().of({ '"é': ['\ud800', -0, 1e21, null, true, {}, []] })).toBe(Buffer.byteLength(JSON.stringify({ '"é': ['\ud800', -0, 1e21, null, true, {}, []] })));
});

test('a part that occurs often is looked at once', () => {
  let looks = 0;
  const part = {
    get a() {
      looks++;
      return 'x';
    },
  };
  let value: unknown = part;
  for (let i = 0; i < 40; i++) value = [value, value];
  expect(new JsonSizes().of(value)).toBe(9 * 2 ** 40 + 3 * (2 ** 40 - 1));
  expect(looks).toBe(1);
});
