import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { blockContains, formatIp, ipBytes, ipFromBytes, parseCidr, parseIp } from './ip.js';

test('addresses are parsed strictly and printed canonically', () => {
  expect(formatIp(parseIp('10.96.0.1')!)).toBe('10.96.0.1');
  expect(formatIp(parseIp('2001:DB8:0:0:1:0:0:1')!)).toBe('2001:db8::1:0:0:1');
  expect(formatIp(parseIp('::')!)).toBe('::');
  expect(formatIp(parseIp('::ffff:1.2.3.4')!)).toBe('::ffff:102:304');
  for (const bad of ['010.0.0.1', '1.2.3', '', 'fe80::1%eth0', '1.2.3.4/8']) expect(parseIp(bad)).toBeUndefined();
});

test('blocks', () => {
  const block = parseCidr('10.96.0.7/16')!;
  expect(formatIp({ family: 4, value: block.first })).toBe('10.96.0.0');
  expect(formatIp({ family: 4, value: block.last })).toBe('10.96.255.255');
  expect(blockContains(block, parseIp('10.97.0.0')!)).toBe(false);
  for (const bad of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0', '::/129', '10.0.0.0/08']) expect(parseCidr(bad)).toBeUndefined();
});

test('every address survives text and bytes', () => {
  fc.assert(fc.property(fc.bigInt(0n, 2n ** 128n - 1n), (value) => {
    const text = formatIp({ family: 6, value });
    expect(isIPv6(text)).toBe(true);
    expect(parseIp(text)).toEqual({ family: 6, value });
    expect(ipFromBytes(ipBytes({ family: 6, value }))).toEqual({ family: 6, value });
  }));
});
