import { AddressPool } from './address-pool.js';
import { ipv4Block } from './ranges.js';

const pool = (cidr: string): AddressPool => {
  const made = new AddressPool();
  made.setRange(ipv4Block(cidr, 'pod CIDR'));
  return made;
};

describe('addresses of pods', () => {
  test('from the third to the one before the last, each once; then a clear error', () => {
    const addresses = pool('10.9.8.0/29');
    expect(Array.from({ length: 5 }, () => addresses.take())).toEqual(['10.9.8.2', '10.9.8.3', '10.9.8.4', '10.9.8.5', '10.9.8.6']);
    expect(() => addresses.take()).toThrow('no free address for the pod: all 5 of pod CIDR 10.9.8.0/29 are in use');
    addresses.release('10.9.8.4');
    expect(addresses.take()).toBe('10.9.8.4');
  });

  test('an address that came back rests while others are free', () => {
    const addresses = pool('10.9.8.0/29');
    expect(addresses.take()).toBe('10.9.8.2');
    addresses.release('10.9.8.2');
    expect([addresses.take(), addresses.take(), addresses.take(), addresses.take(), addresses.take()]).toEqual(['10.9.8.3', '10.9.8.4', '10.9.8.5', '10.9.8.6', '10.9.8.2']);
  });

  test('goes on where an earlier run ended, past what is reserved', () => {
    const addresses = pool('10.9.8.0/29');
    addresses.reserve('10.9.8.5');
    addresses.resumeAfter('10.9.8.4');
    expect([addresses.take(), addresses.take()]).toEqual(['10.9.8.6', '10.9.8.2']);
    addresses.resumeAfter('nonsense');
    expect(addresses.take()).toBe('10.9.8.3');
  });

  test('another range; what came from the old one stays taken', () => {
    const addresses = pool('10.9.8.0/29');
    addresses.take();
    addresses.setRange(ipv4Block('10.9.9.0/30', 'pod CIDR'));
    expect(addresses.take()).toBe('10.9.9.2');
    addresses.setRange(ipv4Block('10.9.8.0/30', 'pod CIDR'));
    expect(() => addresses.take()).toThrow(/all 1 of/);
  });

  test.each(['10.9.8.0/31', '10.9.8.1/32'])('a range without an address to give is refused: %s', (cidr) => {
    expect(() => pool(cidr)).toThrow(`pod CIDR ${cidr} has no address for a pod`);
  });

  test('ranges name what is wrong', () => {
    expect(() => ipv4Block('10.9.8.0', 'pod CIDR')).toThrow('pod CIDR "10.9.8.0": "10.9.8.0" is not a CIDR such as 10.244.0.0/24');
    expect(() => ipv4Block('fd00::/64', 'cluster CIDR')).toThrow('cluster CIDR "fd00::/64" has no IPv4 range; pods get IPv4 addresses');
    expect(ipv4Block('fd00::/64,10.9.8.0/24', 'pod CIDR').text).toBe('10.9.8.0/24');
  });
});
