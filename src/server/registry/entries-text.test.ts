import { EntriesText } from './entries-text.js';

test('texts of sets are remembered as far as they are not too long together', () => {
  const entries = new EntriesText();
  let written = 0;
  const fields = {
    get a() {
      written++;
      return {};
    },
  };
  expect(entries.text([{ manager: 'm', fieldsV1: fields }])).toBe('[{"manager":"m","fieldsV1":{"a":{}}}]');
  entries.set(fields);
  expect(written).toBe(1);
  for (let i = 0; i < 3; i++) entries.set({ long: 'x'.repeat(3 << 20) });
  entries.set(fields);
  expect(written).toBe(2);
});
