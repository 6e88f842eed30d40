import type { V1Node, V1Service, V1ServiceSpec } from '../../api/generated/types.js';
import { NODES, SERVICES } from '../../api/resource-refs.js';
import { startControllers, type ControllerHarness } from '../testing/test-context.js';
import { serviceLbController } from './descriptor.js';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

const node = (name: string, address: string, labels: Readonly<Record<string, string>> = {}): V1Node => ({
  apiVersion: 'v1', kind: 'Node', metadata: { name, labels },
  status: { addresses: [{ type: 'Hostname', address: name }, { type: 'InternalIP', address }], daemonEndpoints: { kubeletEndpoint: { Port: 10250 } } },
});
const balanced = (name: string, port: number, spec: Partial<V1ServiceSpec> = {}): V1Service => ({
  apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'default', name },
  spec: { type: 'LoadBalancer', clusterIP: '10.96.0.5', ports: [{ port, nodePort: 30000 + port, protocol: 'TCP' }], ...spec },
});

let running: ControllerHarness | undefined;
afterEach(() => running?.stop());

async function start(): Promise<ControllerHarness> {
  running = await startControllers([serviceLbController], (api) => {
    api.collection(NODES).create(node('node-1', '192.168.50.1'));
  });
  return running;
}
const current = ({ api }: ControllerHarness, name: string): V1Service => api.collection(SERVICES).get('default', name) as V1Service;
const ips = (harness: ControllerHarness, name: string): (string | undefined)[] => (current(harness, name).status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip);

test('a service gets the addresses of the nodes, a finalizer and events; without its type it gives all back', async () => {
  const harness = await start();
  const client = harness.api.resource(SERVICES);
  await client.create(balanced('web', 80));
  await harness.settle();
  expect(current(harness, 'web')).toMatchObject({ metadata: { finalizers: [FINALIZER] }, status: { loadBalancer: { ingress: [{ ip: '192.168.50.1', ipMode: 'VIP' }] } } });
  expect(harness.events).toEqual(['Normal EnsuringLoadBalancer Ensuring load balancer', 'Normal EnsuredLoadBalancer Ensured load balancer']);
  harness.events.length = 0;
  harness.api.collection(NODES).create(node('node-2', '192.168.50.2'));
  harness.api.collection(NODES).create(node('node-3', '192.168.50.3', { 'node.kubernetes.io/exclude-from-external-load-balancers': '' }));
  await harness.settle();
  expect(ips(harness, 'web')).toEqual(['192.168.50.1', '192.168.50.2']);
  expect(harness.events).toEqual(['Normal UpdatedLoadBalancer Updated load balancer with new hosts']);
  harness.events.length = 0;
  const web = current(harness, 'web');
  await client.update({ ...web, spec: { ...web.spec, type: 'ClusterIP' } });
  await harness.settle();
  expect(current(harness, 'web').metadata?.finalizers ?? []).toEqual([]);
  expect(ips(harness, 'web')).toEqual([]);
  expect(harness.events).toEqual(['Normal DeletingLoadBalancer Deleting load balancer', 'Normal DeletedLoadBalancer Deleted load balancer']);
});

test('a deleted service goes once its load balancer is gone', async () => {
  const harness = await start();
  const client = harness.api.resource(SERVICES);
  await client.create(balanced('web', 80));
  await harness.settle();
  await client.delete('default', 'web');
  await harness.settle();
  expect(() => current(harness, 'web')).toThrow('not found');
  expect(harness.events.at(-1)).toBe('Normal DeletedLoadBalancer Deleted load balancer');
});

test('a port belongs to the first service; the second one waits and gets it as soon as it is free', async () => {
  const harness = await start();
  const client = harness.api.resource(SERVICES);
  await client.create(balanced('first', 80));
  await harness.settle();
  await client.create(balanced('second', 80, { ports: [{ port: 80, protocol: 'TCP' }, { port: 30080, protocol: 'TCP' }] }));
  await client.create(balanced('udp', 80, { ports: [{ port: 80, protocol: 'UDP' }] }));
  await harness.settle();
  expect(ips(harness, 'udp')).toEqual(['192.168.50.1']);
  expect(ips(harness, 'second')).toEqual([]);
  expect(harness.events).toContain("Warning SyncLoadBalancerFailed Error syncing load balancer: failed to ensure load balancer: port 80/TCP of the nodes' addresses is taken by service default/first; port 30080/TCP of the nodes' addresses is taken by a node port of service default/first");
  await client.delete('default', 'first');
  await harness.settle();
  expect(ips(harness, 'second')).toEqual(['192.168.50.1']);
});

test('ports of the API server and of the node agents are not given away', async () => {
  const harness = await start();
  const client = harness.api.resource(SERVICES);
  await client.create({ apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'default', name: 'kubernetes' }, spec: { clusterIP: '10.96.0.1', ports: [{ port: 443, targetPort: 6443, protocol: 'TCP' }] } });
  await client.create(balanced('api', 6443));
  await client.create(balanced('agent', 10250));
  await harness.settle();
  expect(harness.events.filter((event) => event.startsWith('Warning'))).toEqual([expect.stringContaining('taken by the API server'), expect.stringContaining('taken by the agent of node node-1')]);
});

test('a class of somebody else is left alone, our own is served', async () => {
  const harness = await start();
  const client = harness.api.resource(SERVICES);
  await client.create(balanced('foreign', 80, { loadBalancerClass: 'example.com/other' }));
  await client.create(balanced('ours', 81, { loadBalancerClass: 'kube.io/builtin' }));
  await harness.settle();
  expect(current(harness, 'foreign').metadata?.finalizers).toBeUndefined();
  expect(ips(harness, 'ours')).toEqual(['192.168.50.1']);
});

test('without nodes there is a warning, and an address as soon as a node comes', async () => {
  running = await startControllers([serviceLbController]);
  const client = running.api.resource(SERVICES);
  await client.create(balanced('web', 80));
  await running.settle();
  expect(running.events).toContain('Warning UnAvailableLoadBalancer There are no available nodes for LoadBalancer');
  running.api.collection(NODES).create(node('node-1', '192.168.50.1'));
  await running.settle();
  expect(ips(running, 'web')).toEqual(['192.168.50.1']);
});
