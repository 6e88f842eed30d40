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

test('thousands of managers are not copied for each of them', () => {
  const list = Array.from({ length: 8_000 }, (_, i) => ({ manager: `m${i}`, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { [`f:k${i}`]: {} } } }));
  const before = process.cpuUsage();
  expect(JSON.parse(new EntriesText().text([...list, {}, { fieldsV1: {} }]))).toEqual([...list, {}, { fieldsV1: {} }]);
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});
