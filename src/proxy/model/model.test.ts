import { SystemClock } from '../../base/clock.js';
import { EventLoopTurns } from '../../reconcile/index.js';
import { slice, service } from '../testing/objects.js';
import { categorizeEndpoints } from './categorize.js';
import { endpointsOfSlices, portKey } from './endpoint.js';
import { healthCheckNodePort, servicePorts } from './service-port.js';

const turns = new EventLoopTurns(new SystemClock());
const WEB = portKey('', 'TCP');

async function categorize(spec: Parameters<typeof service>[2], endpoints: Parameters<typeof slice>[1], zone = 'a') {
  const [port] = servicePorts(service('web', '10.96.0.1', spec));
  const found = categorizeEndpoints(port!, (await endpointsOfSlices([slice('web', endpoints)], 'node-1', turns)).get(WEB) ?? [], 'node-1', zone);
  const ips = (list: typeof found.cluster) => list.map(({ ip }) => ip).join(' ');
  return { cluster: ips(found.cluster), local: ips(found.local), reachable: ips(found.reachable), any: found.any };
}

test('endpoints come from all slices of the family; a running pod wins over a terminating one at the same address', async () => {
  const terminating = slice('web', [{ ip: '10.0.0.1', ready: false, serving: true, terminating: true }]);
  const running = { ...slice('web', ['10.0.0.1', '10.0.0.2']), metadata: { ...terminating.metadata, name: 'a' } };
  const six = { ...slice('web', ['fd00::1']), addressType: 'IPv6' };
  for (const slices of [[terminating, running, six], [running, terminating]]) {
    expect((await endpointsOfSlices(slices, 'node-1', turns)).get(WEB)).toMatchObject([{ ip: '10.0.0.1', ready: true, local: true }, { ip: '10.0.0.2' }]);
  }
  expect((await endpointsOfSlices([{ ...running, ports: [{ name: '' }] }], 'node-1', turns)).size).toBe(0);
});

test('ready endpoints, else those that terminate but serve, apart for both policies', async () => {
  const leaving = { ip: '10.0.0.3', ready: false, serving: true, terminating: true };
  expect(await categorize({}, ['10.0.0.1', { ip: '10.0.0.2', ready: false }, leaving])).toEqual({ cluster: '10.0.0.1', local: '', reachable: '10.0.0.1', any: true });
  expect(await categorize({}, [{ ip: '10.0.0.2', ready: false }, leaving])).toMatchObject({ cluster: '10.0.0.3', any: true });
  expect(await categorize({}, [{ ip: '10.0.0.2', ready: false }])).toMatchObject({ cluster: '', any: false });
  const node = { type: 'NodePort', externalTrafficPolicy: 'Local', ports: [{ port: 80, nodePort: 30000 }] } as const;
  expect(await categorize(node, [{ ip: '10.0.0.1', nodeName: 'node-2' }, leaving])).toEqual({ cluster: '10.0.0.1', local: '10.0.0.3', reachable: '10.0.0.1 10.0.0.3', any: true });
  expect(await categorize({ internalTrafficPolicy: 'Local' }, [{ ip: '10.0.0.1', nodeName: 'node-2' }])).toEqual({ cluster: '', local: '', reachable: '', any: true });
});

test('hints narrow to the node, else to the zone, only if all ready endpoints have them and one points here', async () => {
  const near = { ip: '10.0.0.1', nodes: ['node-1'], zones: ['a'] };
  const zone = { ip: '10.0.0.2', nodes: ['node-2'], zones: ['a'] };
  const far = { ip: '10.0.0.3', nodes: ['node-3'], zones: ['b'] };
  expect((await categorize({}, [near, zone, far])).cluster).toBe('10.0.0.1');
  expect((await categorize({}, [zone, far])).cluster).toBe('10.0.0.2');
  expect((await categorize({}, [zone, far], '')).cluster).toBe('10.0.0.2 10.0.0.3');
  expect((await categorize({}, [near, zone, { ip: '10.0.0.4' }])).cluster).toBe('10.0.0.1 10.0.0.2 10.0.0.4');
  expect((await categorize({}, [near, { ip: '10.0.0.4', ready: false, serving: true, terminating: true }])).cluster).toBe('10.0.0.1');
});

test('services that the proxy leaves alone, and what it reads of the others', () => {
  const other = service('web', '10.96.0.1');
  expect(servicePorts({ ...other, metadata: { ...other.metadata, labels: { 'service.kubernetes.io/service-proxy-name': 'x' } } })).toEqual([]);
  expect(servicePorts(service('web', 'None'))).toEqual([]);
  expect(servicePorts(service('web', '', { type: 'ExternalName' }))).toEqual([]);
  expect(servicePorts(service('web', 'fd00::1', { clusterIPs: ['fd00::1', '10.96.0.9'] }))).toMatchObject([{ clusterIp: '10.96.0.9' }]);
  const [port] = servicePorts(service('web', '10.96.0.1', { loadBalancerSourceRanges: [' 10.0.0.0/8 ', '10.1.0.0/16', '10.0.0.0/8', 'fd00::/8'], sessionAffinity: 'ClientIP' }));
  expect(port!.sourceRanges.map(({ prefixLength }) => prefixLength)).toEqual([8]);
  expect(port!.affinitySeconds).toBe(10_800);
  expect(servicePorts(service('web', '10.96.0.1', { loadBalancerSourceRanges: ['10.0.0.0/8', '0.0.0.0/0'] }))[0]!.sourceRanges).toEqual([]);
  const balanced = service('web', '10.96.0.1', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 31000 });
  expect(healthCheckNodePort(balanced)).toBe(31000);
  expect(healthCheckNodePort(service('web', '10.96.0.1', { type: 'NodePort', externalTrafficPolicy: 'Local', healthCheckNodePort: 31000 }))).toBe(0);
  expect(servicePorts({ ...balanced, status: { loadBalancer: { ingress: [{ ip: '1.2.3.4', ipMode: 'Proxy' }, { ip: '1.2.3.5' }, { hostname: 'x' }] } } })[0]!.loadBalancerIps).toEqual(['1.2.3.5']);
});
