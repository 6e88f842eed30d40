import { warningHeaders } from './warning-headers.js';

test('texts are quoted; those that headers cannot carry are left out', () => {
  expect(warningHeaders(['plain', '', 'a "quoted" \\ one', 'two\nlines', 'ü'])).toEqual(['299 - "plain"', '299 - "a \\"quoted\\" \\\\ one"', `299 - "${Buffer.from('ü').toString('latin1')}"`]);
});

test('long texts are cut when all together are too long', () => {
  const long = 'x'.repeat(1000);
  expect(warningHeaders([long, long, long, long])).toEqual(Array.from({ length: 4 }, () => `299 - "${long}"`));
  expect(warningHeaders([long, long, long, long, long])).toEqual(Array.from({ length: 5 }, () => `299 - "${'x'.repeat(256)}"`));
  expect(warningHeaders(Array.from({ length: 40 }, () => long))).toHaveLength(16);
});

test('those that come too late are not even looked at', () => {
  let read = 0;
  const texts = new Proxy(Array.from({ length: 1000 }, (_text, i) => `warning ${i} ${'x'.repeat(1000)}`), {
    get: (target, name) => {
      if (/^\d+$/.test(String(name))) read++;
      return Reflect.get(target, name) as unknown;
    },
  });
  expect(warningHeaders(texts)).toHaveLength(16);
  expect(read).toBeLessThan(20);
  expect(warningHeaders(['😀'.repeat(1_000_000)])).toEqual([expect.stringMatching(/^299 - ".{1024}"$/)]);
});
