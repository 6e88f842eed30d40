import { readdir } from 'node:fs/promises';
import { createPodNetwork, removeNetworkObjects, listNetworkObjects, ensureHostAddress } from './index.js';
import type { PodNetwork } from './pod-network.js';
import { HOST_ADDRESS, networkRequest, NetworkLab, OUTSIDE_ADDRESS } from './testsuite/lab.js';

/** Real programs on a machine that may be busy. */
const PATIENCE = 60_000;
const A = 'aaaaaa11', B = 'bbbbbb22', C = 'cccccc33';
const port = (hostPort: number, containerPort: number, protocol = 'TCP', hostIp = ''): { protocol: string; containerPort: number; hostPort: number; hostIp: string } => ({ protocol, containerPort, hostPort, hostIp });

describe('pod network in a network namespace', () => {
  let lab: NetworkLab;
  const make = async (live: readonly string[] = [], more: object = {}): Promise<PodNetwork> => {
    const network = createPodNetwork({ host: lab.host(), clusterCidr: '10.9.0.0/16', serviceClusterIpRange: '10.96.0.0/16', cni: 'never', ...more }, lab.tools());
    await network.start(new Set(live));
    await network.setPodCidr('10.9.8.0/29');
    return network;
  };

  beforeEach(async () => {
    lab = await NetworkLab.make();
  });
  afterEach(() => lab.close());

  test('pods reach each other, the host and the outside; the outside sees the host; two processes a pod', async () => {
    const network = await make();
    const [a, b] = [await lab.pod('a'), await lab.pod('b')];
    lab.spawned.length = 0;
    const [one, two] = await Promise.all([network.attach(networkRequest(A, a)), network.attach(networkRequest(B, b))]);
    expect(lab.spawned).toHaveLength(4);
    expect([...one.ips, ...two.ips].sort()).toEqual(['10.9.8.2', '10.9.8.3']);
    await lab.serve('b', 80);
    await lab.serve('out', 80);
    await lab.serve('host', 81);
    await lab.sh('a', `busybox ping -c1 -W1 ${two.ips[0]}`);
    expect(await lab.ask('a', two.ips[0]!, 80)).toBe(`b ${one.ips[0]}`);
    expect(await lab.ask('a', OUTSIDE_ADDRESS, 80)).toBe(`out ${HOST_ADDRESS}`);
    expect(await lab.ask('a', HOST_ADDRESS, 81)).toBe(`host ${one.ips[0]}`);
    expect(await lab.ask('host', two.ips[0]!, 80)).toBe(`b ${HOST_ADDRESS}`);
    expect(await lab.ask('b', '127.0.0.1', 80)).toBe('b 127.0.0.1');
    expect(JSON.parse(await lab.sh('a', 'ip -j link show eth0'))).toMatchObject([{ ifname: 'eth0', mtu: 1400 }]);
    // A pod cannot speak from another's address, nor to the host's loopback.
    await lab.sh('host', `nft 'table ip probe { counter spoofed { }; counter honest { }; chain input { type filter hook input priority 0; ip saddr 10.9.8.77 counter name spoofed; ip saddr ${one.ips[0]} counter name honest; }; }'`);
    await lab.sh('a', 'ip addr add 10.9.8.77/32 dev eth0');
    for (const from of ['10.9.8.77', one.ips[0]!]) await lab.sh('a', `echo hello | socat -u - UDP4:${HOST_ADDRESS}:82,bind=${from}`);
    const counters = await lab.sh('host', 'nft list counters table ip probe');
    expect(counters).toMatch(/spoofed \{\s+packets 0 /);
    expect(counters).toMatch(/honest \{\s+packets 1 /);
  }, PATIENCE);

  test('host ports answer from outside, from the host, from loopback, from pods and from the pod itself, and end with it', async () => {
    const network = await make();
    const [a, b] = [await lab.pod('a'), await lab.pod('b')];
    const { ips: [ip] } = await network.attach(networkRequest(A, a, { portMappings: [port(8080, 80), port(8080, 80, 'UDP'), port(8081, 80, 'TCP', '127.0.0.1'), port(8082, 80, 'TCP', HOST_ADDRESS), port(0, 99)] }));
    const { ips: [other] } = await network.attach(networkRequest(B, b));
    await lab.serve('a', 80);
    await lab.serve('a', 80, 'UDP');
    expect(await lab.ask('out', HOST_ADDRESS, 8080)).toBe(`a ${OUTSIDE_ADDRESS}`);
    expect(await lab.ask('out', HOST_ADDRESS, 8080, 'UDP')).toBe(`a ${OUTSIDE_ADDRESS}`);
    expect(await lab.ask('host', HOST_ADDRESS, 8080)).toBe(`a ${HOST_ADDRESS}`);
    expect(await lab.ask('host', '127.0.0.1', 8080)).toBe(`a ${HOST_ADDRESS}`);
    expect(await lab.ask('b', HOST_ADDRESS, 8080)).toBe(`a ${other}`);
    expect(await lab.ask('a', HOST_ADDRESS, 8080)).toBe(`a ${HOST_ADDRESS}`);
    expect(await lab.ask('host', '127.0.0.1', 8081)).toBe(`a ${HOST_ADDRESS}`);
    expect(await lab.ask('out', HOST_ADDRESS, 8081)).toBe('');
    expect(await lab.ask('out', HOST_ADDRESS, 8082)).toBe(`a ${OUTSIDE_ADDRESS}`);
    expect(await lab.ask('host', '127.0.0.1', 8082)).toBe('');
    expect(ip).toBe('10.9.8.2');

    // A loopback address of the host stays closed to the pod although its interface would let it pass.
    await lab.serve('host', 90);
    await lab.sh('a', 'echo 1 > /proc/sys/net/ipv4/conf/eth0/route_localnet; ip route add 127.0.0.5/32 via 169.254.1.1 dev eth0; ip route del local 127.0.0.0/8 dev lo table local; ip route del local 127.0.0.1 dev lo table local');
    expect(await lab.ask('a', '127.0.0.5', 90)).toBe('');

    const c = await lab.pod('c');
    await expect(network.attach(networkRequest(C, c, { portMappings: [port(8082, 1)] }))).rejects.toThrow('host port 8082/TCP is in use by pod default/pod-aaaaaa11');
    await network.detach(A);
    await network.detach(A);
    expect(await lab.ask('out', HOST_ADDRESS, 8080)).toBe('');
    expect(await lab.sh('host', 'nft list table ip kube-abcd1234-pods')).not.toMatch(/8080|10\.9\.8\.2 /);
    await network.attach(networkRequest(C, c, { portMappings: [port(8082, 1)] }));
  }, PATIENCE);

  test('host ports come back when somebody flushed the rules', async () => {
    const network = await make();
    const [a, b] = [await lab.pod('a'), await lab.pod('b')];
    await network.attach(networkRequest(A, a, { portMappings: [port(8080, 80)] }));
    await lab.sh('host', 'nft flush ruleset');
    await network.attach(networkRequest(B, b, { portMappings: [port(8081, 80)] }));
    const rules = await lab.sh('host', 'nft list ruleset');
    expect(rules).toMatch(/tcp \. 8080 : 10\.9\.8\.2 \. 80/);
    expect(rules).toMatch(/tcp \. 8081 : 10\.9\.8\.3 \. 80/);
    await lab.sh('host', 'nft flush ruleset');
    await network.detach(A);
    expect(await lab.sh('host', 'nft list ruleset')).not.toMatch(/8080/);
  }, PATIENCE);

  test('rules that somebody removed are made anew, those that nobody touched are left alone', async () => {
    const network = await make();
    const a = await lab.pod('a');
    await network.attach(networkRequest(A, a, { portMappings: [port(8080, 80)] }));
    expect(await network.repair()).toBe(false);
    const before = await lab.sh('host', 'nft list ruleset');
    await lab.sh('host', 'nft flush ruleset');
    expect(await network.repair()).toBe(true);
    expect(await lab.sh('host', 'nft list ruleset')).toBe(before);
    await lab.sh('host', `nft flush table ip ${lab.host().tablePrefix}-pods`);
    expect(await network.repair()).toBe(true);
    expect(await lab.sh('host', 'nft list ruleset')).toBe(before);
    expect(await network.repair()).toBe(false);
  }, PATIENCE);

  test('a new run adopts what lives, removes what is dead and makes again what is missing', async () => {
    const first = await make();
    for (const [name, id] of [['a', A], ['b', B], ['c', C]] as const) await first.attach(networkRequest(id, await lab.pod(name), { portMappings: [port(8000 + id.charCodeAt(0), 80)] }));
    const interfaces = async (): Promise<string[]> => (await lab.sh('host', 'ip -o link')).split('\n').flatMap((line) => /^\d+: (k[^@]+)@/.exec(line)?.[1] ?? []).sort();
    expect(await interfaces()).toEqual(['kabcd1234aaaaaa', 'kabcd1234bbbbbb', 'kabcd1234cccccc']);
    await lab.removePod('b');
    await lab.sh('host', 'nft flush ruleset; ip link del kabcd1234cccccc; ip route del 10.9.8.2; ip link add kabcd1234ffffff type veth peer name nobody');
    const second = await make([A, C]);
    expect(second.attached(A)).toEqual({ ips: ['10.9.8.2'] });
    expect(second.attached(B)).toBeUndefined();
    expect(second.attached(C)).toEqual({ ips: ['10.9.8.4'] });
    expect(await interfaces()).toEqual(['kabcd1234aaaaaa', 'kabcd1234cccccc']);
    await lab.serve('a', 80);
    await lab.serve('c', 80);
    expect(await lab.ask('c', '10.9.8.2', 80)).toBe('a 10.9.8.4');
    expect(await lab.ask('out', HOST_ADDRESS, 8000 + 'a'.charCodeAt(0))).toBe(`a ${OUTSIDE_ADDRESS}`);
    expect(await lab.ask('out', HOST_ADDRESS, 8000 + 'c'.charCodeAt(0))).toBe(`c ${OUTSIDE_ADDRESS}`);
    expect(await lab.sh('host', 'nft list ruleset')).not.toContain('8098');
    expect((await readdir(`${lab.host().stateFolder}/network`)).sort()).toEqual([`${A}.json`, `${C}.json`, 'last-address']);
    // Goes on behind the last address that was given, not with the one that came back.
    expect(await second.attach(networkRequest(B, await lab.pod('b')))).toEqual({ ips: ['10.9.8.5'] });
    // The namespace may be gone before the sandbox is.
    await lab.removePod('a');
    await second.detach(A);
    expect(second.attached(A)).toBeUndefined();
  }, PATIENCE);

  test('a failed attach leaves nothing', async () => {
    const network = await make();
    const before = await lab.snapshot();
    const a = await lab.pod('a');
    await expect(network.attach(networkRequest(A, '/run/netns/none-such', { portMappings: [port(80, 80)] }))).rejects.toThrow(/cannot make interface kabcd1234aaaaaa with address 10\.9\.8\.2: /);
    await expect(network.attach(networkRequest(A, a, { annotations: { 'kubernetes.io/ingress-bandwidth': '10' } }))).rejects.toThrow('annotation kubernetes.io/ingress-bandwidth: "10": resource is unreasonably small (< 1kbit)');
    await lab.sh('a', 'ip link add eth0 type veth peer name other');
    await expect(network.attach(networkRequest(A, a, { portMappings: [port(80, 80)] }))).rejects.toThrow(/File exists/);
    expect(await lab.snapshot()).toEqual(before);
    expect(network.attached(A)).toBeUndefined();
    await lab.sh('a', 'ip link del eth0');
    expect((await network.attach(networkRequest(A, a, { portMappings: [port(80, 80)] }))).ips).toHaveLength(1);
  }, PATIENCE);

  test('bandwidth is limited at both ends', async () => {
    const network = await make();
    await network.attach(networkRequest(A, await lab.pod('a'), { annotations: { 'kubernetes.io/ingress-bandwidth': '1M', 'kubernetes.io/egress-bandwidth': '2M' } }));
    expect(await lab.sh('host', 'tc qdisc show dev kabcd1234aaaaaa')).toMatch(/^qdisc tbf .* rate 1Mbit/);
    expect(await lab.sh('a', 'tc qdisc show dev eth0')).toMatch(/^qdisc tbf .* rate 2Mbit/);
  }, PATIENCE);

  test('the filters of others let pods through', async () => {
    await lab.sh('host', `nft 'table inet filter { chain forward { type filter hook forward priority 0; policy drop; }; chain input { type filter hook input priority 0; ct state established accept; iifname "k*" drop; counter reject; }; }'; iptables -P FORWARD DROP; iptables -N DOCKER-USER; iptables -A FORWARD -j DOCKER-USER`);
    await lab.sh('host', 'ip addr add 10.1.1.1/32 dev lo');
    const before = await lab.snapshot();
    await make([], { hostAddress: '10.1.1.1' });
    const network = await make([], { hostAddress: '10.1.1.1' });
    await network.attach(networkRequest(A, await lab.pod('a'), { portMappings: [port(8080, 80)] }));
    await lab.serve('out', 80);
    await lab.serve('a', 80);
    await lab.serve('host', 81);
    expect(await lab.ask('a', OUTSIDE_ADDRESS, 80)).toBe(`out ${HOST_ADDRESS}`);
    expect(await lab.ask('out', HOST_ADDRESS, 8080)).toBe(`a ${OUTSIDE_ADDRESS}`);
    expect(await lab.ask('a', '10.1.1.1', 81)).toBe('host 10.9.8.2');
    expect(await lab.ask('a', HOST_ADDRESS, 81)).toBe('');
    expect(network.status()).toEqual({ ready: true, message: '' });
    const objects = await listNetworkObjects(lab.host(), lab.commands());
    expect(objects.filter((object) => object.kind === 'iptables-rule')).toHaveLength(2);
    expect(objects.filter((object) => object.kind === 'nftables-rule')).toHaveLength(3);
    expect(await removeNetworkObjects(lab.host(), lab.tools())).toEqual([]);
    const after = await lab.snapshot();
    expect(after).toEqual(before);
  }, PATIENCE);

  test('reset leaves nothing of its cluster and everything of the other', async () => {
    const before = await lab.snapshot();
    const other = createPodNetwork({ host: lab.host('99999999'), clusterCidr: '10.8.0.0/16', serviceClusterIpRange: '10.97.0.0/16', cni: 'never', hostAddress: '10.1.1.2' }, lab.tools());
    await ensureHostAddress(lab.host('99999999'), '10.1.1.2', lab.commands());
    await other.start(new Set());
    await other.setPodCidr('10.8.1.0/24');
    await other.attach(networkRequest(B, await lab.pod('b')));
    const withOther = await lab.snapshot();

    await expect(ensureHostAddress(lab.host(), '10.1.1.2', lab.commands())).rejects.toThrow('address 10.1.1.2 of this host belongs to another cluster (lo:k99999999)');
    await ensureHostAddress(lab.host(), '10.1.1.9', lab.commands());
    const network = await make([], { hostAddress: '10.1.1.1' });
    await ensureHostAddress(lab.host(), '10.1.1.1', lab.commands());
    await network.attach(networkRequest(A, await lab.pod('a'), { portMappings: [port(8080, 80), port(81, 80)] }));
    await lab.serve('host', 81);
    await lab.serve('a', 80);
    // A host port takes no connection from the cluster's own address.
    expect(await lab.ask('a', '10.1.1.1', 81)).toBe('host 10.9.8.2');
    expect(await lab.ask('out', HOST_ADDRESS, 81)).toBe(`a ${OUTSIDE_ADDRESS}`);
    expect(await listNetworkObjects(lab.host(), lab.commands())).toEqual([
      { kind: 'interface', name: 'kabcd1234aaaaaa' }, { kind: 'route', name: '10.9.8.2 dev kabcd1234aaaaaa' }, { kind: 'address', name: '10.1.1.1 dev lo:kabcd1234' },
      { kind: 'nftables-table', name: 'ip kube-abcd1234-pods' }, { kind: 'sysctl', name: 'net.ipv4.ip_forward' },
    ]);
    expect(await removeNetworkObjects(lab.host(), lab.tools())).toEqual([]);
    expect(await removeNetworkObjects(lab.host(), lab.tools())).toEqual([]);
    expect(await lab.snapshot()).toEqual(withOther);
    expect(await removeNetworkObjects(lab.host('99999999'), lab.tools())).toEqual([]);
    expect(await lab.snapshot()).toEqual(before);
  }, PATIENCE);

  test('an address of the host that is the cluster\'s own too has host ports', async () => {
    const network = await make([], { hostAddress: HOST_ADDRESS, mtu: 1300 });
    await network.attach(networkRequest(A, await lab.pod('a'), { portMappings: [port(8080, 80)] }));
    await lab.serve('a', 80);
    expect(await lab.ask('out', HOST_ADDRESS, 8080)).toBe(`a ${OUTSIDE_ADDRESS}`);
    expect(await lab.sh('a', 'ip -o link show eth0')).toContain('mtu 1300');
    expect(await lab.sh('host', 'ip -4 addr show lo')).not.toContain(HOST_ADDRESS);
  }, PATIENCE);

  test('says why it is not ready', async () => {
    const network = createPodNetwork({ host: lab.host(), clusterCidr: '10.9.0.0/16', serviceClusterIpRange: '10.96.0.0/16', cni: 'never' }, lab.tools());
    expect(network.status()).toEqual({ ready: false, message: 'the pod network has not been started' });
    await network.start(new Set());
    expect(network.status()).toEqual({ ready: false, message: 'the node has no pod CIDR yet' });
    await expect(network.attach(networkRequest(A, await lab.pod('a')))).rejects.toThrow('no address for the pod: the node has no pod CIDR yet');
    await expect(network.setPodCidr('10.96.1.0/24')).rejects.toThrow('pod CIDR 10.96.1.0/24 overlaps the service cluster IP range 10.96.0.0/16');
    await network.setPodCidr('fd00::/64,10.9.8.0/30');
    expect(await network.attach(networkRequest(A, await lab.pod('a1')))).toEqual({ ips: ['10.9.8.2'] });
    await expect(network.attach(networkRequest(B, await lab.pod('b')))).rejects.toThrow('no free address for the pod: all 1 of pod CIDR 10.9.8.0/30 are in use');
  }, PATIENCE);
});
