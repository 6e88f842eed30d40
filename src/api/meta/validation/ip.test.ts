import fc from 'fast-check';
import { isIPv6 } from 'node:net';
import { FieldPath } from '../field-path.js';
import { cidrContains, cidrWarnings, formatIp, ipWarnings, parseCidr, parseIp, validateCidr, validateIp, validateLegacyCidr, validateLegacyIp } from './ip.js';

const path = FieldPath.of('ip');
const messages = (errors: readonly { message: string }[]): string[] => errors.map((error) => error.message);

test.each([
  ['10.0.0.1', []],
  ['::1', []],
  ['2001:db8::ffff', []],
  ['010.0.0.1', ['Invalid value: "010.0.0.1": must not have leading 0s']],
  ['::ffff:1.2.3.4', ['Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address']],
  ['2001:DB8::1', ['Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")']],
  ['1.2.3', ['Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
  ['1:2', ['Invalid value: "1:2": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
])('strict %s', (value, expected) => {
  expect(messages(validateIp(value, path))).toEqual(expected);
});

test('older fields accept other spellings of the same address', () => {
  expect(validateLegacyIp('2001:DB8:0::1', path)).toEqual([]);
  expect(validateLegacyIp('010.0.0.1', path, true, ['010.0.0.1'])).toEqual([]);
  expect(validateLegacyIp('010.0.0.1', path)).toHaveLength(1);
  expect(ipWarnings('010.0.0.1', path)).toEqual(['ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']);
  expect(ipWarnings('2001:DB8::1', path)).toEqual(['ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")']);
});

test('CIDRs', () => {
  expect(validateCidr('10.0.0.0/8', path)).toEqual([]);
  expect(messages(validateLegacyCidr('10.1.0.0/8', path))).toEqual(['Invalid value: "10.1.0.0/8": must not have bits set beyond the prefix length']);
  expect(messages(validateCidr('10.0.0.0/33', path))[0]).toContain('must be a valid CIDR value');
  expect(cidrWarnings('10.1.0.0/8', path)).toEqual(['ip: CIDR value "10.1.0.0/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.0.0/32"?)']);
  const cidr = parseCidr('fd00::/60')!;
  expect(cidrContains(cidr, parseIp('fd00:0:0:f::1')!)).toBe(true);
  expect(cidrContains(cidr, parseIp('fd00:0:0:10::1')!)).toBe(false);
});

test('canonical text of any IPv6 address reads back as the same address', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 }), (groups) => {
      const ip = parseIp(groups.map((group) => group.toString(16)).join(':'))!;
      const text = formatIp(ip);
      expect(ip.family === 4 || isIPv6(text)).toBe(true);
      expect(parseIp(text)!.bytes).toEqual(ip.bytes);
    }),
  );
});
