import { SystemClock } from '../../base/clock.js';
import { EventLoopTurns } from '../../reconcile/index.js';
import { endpointsOfSlices } from '../model/endpoint.js';
import { servicePorts } from '../model/service-port.js';
import { service, slice, testOptions, type TestEndpoint } from '../testing/objects.js';
import { serviceRules } from './service-rules.js';

const turns = new EventLoopTurns(new SystemClock());

/** The rules of a service `web` as texts; digests are left out of the names. */
async function rulesOf(spec: Parameters<typeof service>[2], endpoints: readonly (string | TestEndpoint)[], ingress: readonly string[] = [], clusterCidr = testOptions.clusterCidr) {
  const protocol = spec?.ports?.[0]?.protocol ?? 'TCP';
  const found = await endpointsOfSlices([slice('web', endpoints, { port: 8080, protocol })], 'node-1', turns);
  const rules = serviceRules(servicePorts(service('web', '10.96.0.1', spec, ingress)), found, { ...testOptions, clusterCidr, zone: '' });
  const plain = (text: string): string => text.replaceAll(/-[0-9a-f]{10}-default\/web\/\w+\//g, '');
  return {
    elements: rules.elements.map(({ container, key, value }) => plain(`${container} ${key} ${value}`.trim())),
    chains: Object.fromEntries([...rules.chains].map(([chain, lines]) => [plain(chain), lines.map(plain)])),
    sets: [...rules.affinitySets].map(([set, seconds]) => `${plain(set)} ${seconds}`),
    without: rules.withoutLocalEndpoints,
  };
}

const remote = { ip: '10.244.1.9', nodeName: 'node-2' };

test('a cluster address', async () => {
  expect(await rulesOf({}, ['10.244.0.2', remote])).toEqual({
    elements: ['hairpin-connections 10.244.0.2 . 10.244.0.2 . tcp . 8080', 'cluster-ips 10.96.0.1', 'service-ips 10.96.0.1 . tcp . 80 goto service'],
    chains: { service: ['meta l4proto tcp dnat ip addr . port to numgen random mod 2 map { 0 : 10.244.0.2 . 8080, 1 : 10.244.1.9 . 8080 }'] },
    sets: [],
    without: { internal: 0, external: 0 },
  });
  expect(await rulesOf({}, [])).toMatchObject({ elements: ['cluster-ips 10.96.0.1', 'no-endpoint-services 10.96.0.1 . tcp . 80 goto reject-chain'], chains: {} });
});

test('the internal policy Local drops without an endpoint here, and does not bind what comes by node port', async () => {
  const { elements, chains, without } = await rulesOf({ type: 'NodePort', internalTrafficPolicy: 'Local', ports: [{ port: 80, nodePort: 30080, protocol: 'TCP' }] }, [remote]);
  expect(elements).toEqual(['cluster-ips 10.96.0.1', 'no-endpoint-services 10.96.0.1 . tcp . 80 drop', 'service-nodeports tcp . 30080 goto external']);
  expect(chains).toEqual({ external: ['mark set mark or 0x00004000', 'goto service'], service: [expect.stringContaining('10.244.1.9 . 8080')] });
  expect(without).toEqual({ internal: 1, external: 0 });
  expect((await rulesOf({ internalTrafficPolicy: 'Local' }, ['10.244.0.2', remote])).chains).toEqual({ local: [expect.stringMatching(/mod 1 map \{ 0 : 10\.244\.0\.2 \. 8080 \}/)] });
});

test('the external policy Local: no masquerading, but for the node itself; pods go anywhere', async () => {
  const spec = { type: 'NodePort', externalTrafficPolicy: 'Local', ports: [{ port: 80, nodePort: 30080, protocol: 'TCP' }] } as const;
  const { elements, chains, without } = await rulesOf(spec, [remote]);
  expect(elements.slice(2)).toEqual(['service-nodeports tcp . 30080 goto external', 'no-endpoint-nodeports tcp . 30080 drop']);
  expect(chains['external']).toEqual(['ip saddr 10.244.0.0/16 goto service', 'fib saddr type local mark set mark or 0x00004000', 'fib saddr type local goto service']);
  expect(without).toEqual({ internal: 0, external: 1 });
  expect((await rulesOf(spec, ['10.244.0.2'], [], '')).chains['external']).toEqual(['fib saddr type local mark set mark or 0x00004000', 'fib saddr type local goto service', 'goto local']);
});

test('source ranges let the node itself in only where they contain it', async () => {
  const spec = (ranges: string[]) => ({ type: 'LoadBalancer', loadBalancerSourceRanges: ranges });
  const near = await rulesOf(spec(['192.168.50.0/24', '10.0.0.7/8']), ['10.244.0.2'], ['172.30.0.1', '192.168.50.1']);
  expect(near.chains['firewall']).toEqual(['ip saddr != { 192.168.50.0/24, 10.0.0.0/8, 172.30.0.1 } drop']);
  expect(near.elements).toContain('firewall-ips 172.30.0.1 . tcp . 80 goto firewall');
  expect((await rulesOf(spec(['10.0.0.0/8']), ['10.244.0.2'], ['172.30.0.1'])).chains['firewall']).toEqual(['ip saddr != { 10.0.0.0/8 } drop']);
});

test('session affinity: a chain and a set per endpoint', async () => {
  const { chains, sets } = await rulesOf({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } }, ports: [{ port: 53, protocol: 'UDP' }] }, ['10.244.0.2', remote]);
  expect(sets).toEqual(['affinity-60__10.244.0.2/8080 60', 'affinity-60__10.244.1.9/8080 60']);
  expect(chains['service']).toEqual([
    'ip saddr @affinity-60__10.244.0.2/8080 goto endpoint__10.244.0.2/8080',
    'ip saddr @affinity-60__10.244.1.9/8080 goto endpoint__10.244.1.9/8080',
    'numgen random mod 2 vmap { 0 : goto endpoint__10.244.0.2/8080, 1 : goto endpoint__10.244.1.9/8080 }',
  ]);
  expect(chains['endpoint__10.244.0.2/8080']).toEqual(['update @affinity-60__10.244.0.2/8080 { ip saddr }', 'meta l4proto udp dnat to 10.244.0.2:8080']);
});
