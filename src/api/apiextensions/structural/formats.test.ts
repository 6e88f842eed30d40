import { stringFormat } from './formats.js';

test.each<[string, string, boolean]>([
  ['duration', '1h30m', true], ['duration', '3 days', true], ['duration', '2 hx', false], ['duration', 'in 5 minutes or so', true], ['duration', '5 parsecs', false], ['duration', '', false],
  ['uri', 'a:%zz', true], ['uri', 'https://x/%zz', false], ['uri', '/x?%zz', true], ['uri', 'x', false], ['uri', 'https://x/a b', false],
])('%s %j: %s', (format, text, expected) => {
  expect(stringFormat(format)!(text)).toBe(expected);
});

test.each(['duration', 'email', 'hostname', 'uri', 'ipv4', 'cidr', 'mac', 'creditcard', 'rgbcolor', 'datetime', 'isbn', 'k8s-long-name', 'byte'])('%s: hostile texts take no longer than others', (format) => {
  const check = stringFormat(format)!;
  for (const part of ['1', '0', 'a', 'a-', 'a.', '1h', ' ', '"', '@', '<', '%20', '1 ', 'rgb(', '::', '/']) expect(typeof check(`${part.repeat(50_000)}!`)).toBe('boolean');
});
