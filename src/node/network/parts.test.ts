import { SeededRandom } from '../../base/random.js';
import { limitArguments, parseBandwidth } from './bandwidth.js';
import { parseHostFacts, sourceAddress, uplinkMtu } from './host-facts.js';
import { answersOnLoopback, collide, describeHostPort, toHostPorts, type HostPort } from './host-ports.js';
import { chooseInterfaceName, randomMac } from './interface-name.js';
import { KeyedQueue } from './keyed-queue.js';

describe('parts of the pod network', () => {
  test('names of interfaces come from the id, stay within 15 characters and are never given twice', () => {
    const id = '0123456789abcdef';
    expect(chooseInterfaceName('kabcd1234', id, new Set())).toBe('kabcd1234012345');
    expect(chooseInterfaceName('kabcd1234', id, new Set(['kabcd1234012345']))).toBe('kabcd1234123456');
    const taken = new Set<string>();
    for (let i = 0; i < 200; i++) taken.add(chooseInterfaceName('kabcd1234', 'not-hexadecimal', taken));
    expect(taken.size).toBe(200);
    for (const name of taken) expect(name).toMatch(/^kabcd1234[0-9a-f]{6}$/);
  });

  test('hardware addresses are unicast and locally administered', () => {
    const random = new SeededRandom(3);
    for (let i = 0; i < 50; i++) {
      const mac = randomMac(random);
      expect(mac).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
      expect(parseInt(mac.slice(0, 2), 16) & 3).toBe(2);
    }
  });

  test('host ports: no port, the other family and unknown protocols are left out; any address is none', () => {
    const mapping = (hostPort: number, hostIp: string, protocol: string): { hostPort: number; containerPort: number; hostIp: string; protocol: string } => ({ hostPort, containerPort: 1, hostIp, protocol });
    expect(toHostPorts([mapping(0, '', 'TCP'), mapping(1, 'fd00::1', 'TCP'), mapping(2, '', 'ICMP'), mapping(3, '0.0.0.0', 'UDP'), mapping(4, '::', ''), mapping(5, '10.0.0.1', 'SCTP')])).toEqual([
      { protocol: 'udp', hostPort: 3, containerPort: 1 }, { protocol: 'tcp', hostPort: 4, containerPort: 1 }, { protocol: 'sctp', hostPort: 5, containerPort: 1, hostIp: '10.0.0.1' },
    ]);
  });

  test('host ports collide by protocol and port, unless for different addresses', () => {
    const any: HostPort = { protocol: 'tcp', hostPort: 80, containerPort: 1 };
    const one: HostPort = { ...any, hostIp: '127.0.0.1' };
    expect([collide(any, any), collide(any, one), collide(one, one)]).toEqual([true, true, true]);
    expect([collide(one, { ...any, hostIp: '10.0.0.1' }), collide(any, { ...any, protocol: 'udp' }), collide(any, { ...any, hostPort: 81 })]).toEqual([false, false, false]);
    expect([any, one, { ...any, hostIp: '10.0.0.1' }].map(answersOnLoopback)).toEqual([true, true, false]);
    expect(describeHostPort(one)).toBe('127.0.0.1:80/TCP');
  });

  test('bandwidth: quantities within bounds', () => {
    expect(parseBandwidth({ 'kubernetes.io/ingress-bandwidth': '10M', 'kubernetes.io/egress-bandwidth': '1Gi' })).toEqual({ ingress: 10_000_000, egress: 1024 ** 3 });
    expect(parseBandwidth({})).toEqual({});
    expect(() => parseBandwidth({ 'kubernetes.io/egress-bandwidth': '2P' })).toThrow('annotation kubernetes.io/egress-bandwidth: "2P": resource is unreasonably large (> 1Pbit)');
    expect(() => parseBandwidth({ 'kubernetes.io/egress-bandwidth': 'fast' })).toThrow(/^annotation kubernetes.io\/egress-bandwidth: "fast": quantities must match/);
    expect(limitArguments('eth0', 1e6).join(' ')).toBe('qdisc replace dev eth0 root tbf rate 1000000bit burst 65536 latency 25ms');
    expect(limitArguments('eth0', 1e15)).toContain(String(1024 ** 3));
  });

  test('facts of a host: MTU and address of the default route', () => {
    const interfaces = [
      { ifname: 'lo', mtu: 65536, flags: ['LOOPBACK', 'UP'], addr_info: [{ family: 'inet', local: '127.0.0.1', prefixlen: 8, scope: 'host', label: 'lo' }] },
      { ifname: 'docker0', mtu: 1500, flags: ['UP'], addr_info: [{ family: 'inet', local: '172.17.0.1', prefixlen: 16, scope: 'global' }] },
      { ifname: 'eth0', mtu: 1400, flags: ['UP'], addr_info: [{ family: 'inet6', local: 'fe80::1', prefixlen: 64, scope: 'link' }, { family: 'inet', local: '192.0.2.2', prefixlen: 24, scope: 'global' }] },
      {},
    ];
    const read = (routes: readonly object[]): ReturnType<typeof parseHostFacts> => parseHostFacts(`${JSON.stringify(interfaces)}\n${JSON.stringify(routes)}\n`);
    const usual = read([{ dst: 'default', gateway: '192.0.2.1', dev: 'eth0', flags: [] }, { dst: 'default', dev: 'docker0', metric: 100, flags: [] }]);
    expect([uplinkMtu(usual), sourceAddress(usual)]).toEqual([1400, '192.0.2.2']);
    expect(sourceAddress(read([{ dst: 'default', dev: 'eth0', prefsrc: '192.0.2.7' }]))).toBe('192.0.2.7');
    const alone = read([]);
    expect([uplinkMtu(alone), sourceAddress(alone)]).toEqual([1500, '172.17.0.1']);
    expect(sourceAddress(parseHostFacts('[]\n[]\n'))).toBeUndefined();
  });

  test('work of one key runs in turn, also after a failure; keys do not wait for each other', async () => {
    const queue = new KeyedQueue();
    const order: string[] = [];
    let release = (): void => undefined;
    const first = queue.run('a', () => new Promise<void>((_, reject) => (release = () => reject(new Error('first')))));
    const second = queue.run('a', () => Promise.resolve(order.push('second')));
    await queue.run('b', () => Promise.resolve(order.push('other')));
    expect(order).toEqual(['other']);
    release();
    await expect(first).rejects.toThrow('first');
    await second;
    expect(order).toEqual(['other', 'second']);
  });
});
