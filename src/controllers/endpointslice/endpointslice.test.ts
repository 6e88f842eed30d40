import type { V1Endpoint, V1EndpointSlice, V1Pod, V1Service } from '../../api/generated/types.js';
import { ENDPOINTS, ENDPOINT_SLICES, PODS, SERVICES } from '../../api/resource-refs.js';
import { FakeClock } from '../../base/clock.js';
import { endpointsController } from '../endpoints/descriptor.js';
import { endpointSliceMirroringController } from '../endpointslice-mirroring/descriptor.js';
import { startControllers } from '../testing/test-context.js';
import { endpointSliceController } from './descriptor.js';
import { ExpectedSlices } from './expected-slices.js';
import { planSlices } from './slice-plan.js';
import { TriggerTimes } from './trigger-times.js';

const service: V1Service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'default' }, spec: { selector: { app: 'web' }, clusterIP: '10.96.0.5', ports: [{ name: 'http', port: 80, targetPort: 'web', protocol: 'TCP' }] } };

const pod = (name: string, ip: string, ready = 'True'): V1Pod => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', labels: { app: 'web' } },
  spec: { nodeName: 'n', containers: [{ name: 'c', ports: [{ name: 'web', containerPort: 8080 }] }] },
  status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions: [{ type: 'Ready', status: ready }] },
});

test('slices and Endpoints follow the pods of a service', async () => {
  const harness = await startControllers([endpointSliceController, endpointsController], (api) => {
    api.seed(SERVICES, service);
    api.seed(PODS, pod('a', '10.1.0.1'));
    api.seed(PODS, pod('b', '10.1.0.2', 'False'));
  });
  const [slice] = harness.api.all(ENDPOINT_SLICES);
  expect(slice).toMatchObject({
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    metadata: { labels: { 'kubernetes.io/service-name': 'web', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' }, ownerReferences: [{ kind: 'Service', name: 'web', controller: true }] },
  });
  const conditions = Object.fromEntries(slice!.endpoints!.map((endpoint) => [endpoint.addresses[0], endpoint.conditions]));
  expect(conditions).toEqual({ '10.1.0.1': { ready: true, serving: true, terminating: false }, '10.1.0.2': { ready: false, serving: false, terminating: false } });
  expect(harness.api.find(ENDPOINTS, 'default', 'web')?.subsets).toMatchObject([{ addresses: [{ ip: '10.1.0.1' }], notReadyAddresses: [{ ip: '10.1.0.2' }], ports: [{ name: 'http', port: 8080 }] }]);

  harness.api.edit(PODS, 'default', 'b', () => ({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }));
  await harness.settle();
  expect(harness.api.find(ENDPOINTS, 'default', 'web')?.subsets?.[0]?.addresses).toHaveLength(2);
  expect(harness.api.all(ENDPOINT_SLICES)).toHaveLength(1);
  await harness.stop();
});

test('hand-made Endpoints are mirrored, and their slices go with them', async () => {
  const harness = await startControllers([endpointSliceMirroringController, endpointSliceController], (api) => {
    api.seed(SERVICES, { ...service, spec: { ports: [{ port: 80 }] } });
    api.seed(ENDPOINTS, { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'web', namespace: 'default' }, subsets: [{ addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80 }] }] });
  });
  expect(harness.api.all(ENDPOINT_SLICES)).toMatchObject([{ endpoints: [{ addresses: ['1.2.3.4'], conditions: { ready: true } }] }]);
  await harness.api.resource(ENDPOINTS).delete('default', 'web');
  await harness.settle();
  expect(harness.api.all(ENDPOINT_SLICES)).toEqual([]);
  await harness.stop();
});

const endpoint = (n: number): V1Endpoint => ({ addresses: [`10.0.0.${n}`] });
const group = (...numbers: number[]) => [{ addressType: 'IPv4', ports: [], endpoints: numbers.map(endpoint) }];
const slice = (name: string, ...numbers: number[]): V1EndpointSlice => ({ metadata: { name }, addressType: 'IPv4', ports: [], endpoints: numbers.map(endpoint) });

test('a plan touches as few slices as it can', () => {
  expect(planSlices(group(1, 2, 3), [slice('a', 1, 2), slice('b', 3)], 2)).toEqual({ create: [], update: [], remove: [] });
  const plan = planSlices(group(1, 2, 3, 4), [slice('a', 1, 2), slice('b', 3)], 2);
  expect(plan.update.map(({ metadata }) => metadata?.name)).toEqual(['b']);
  expect(planSlices(group(1), [slice('a', 1), slice('b', 2)], 2).remove.map(({ metadata }) => metadata?.name)).toEqual(['b']);
  expect(planSlices(group(...Array.from({ length: 5 }, (_, i) => i)), [], 2).create.map(({ endpoints }) => endpoints?.length)).toEqual([2, 2, 1]);
  expect(planSlices(group(), [], 2).create).toEqual([{ addressType: 'IPv4', ports: [], endpoints: [] }]);
  expect(planSlices(group(), [slice('a', 1)], 2)).toMatchObject({ create: [], update: [{ endpoints: [] }], remove: [] });
});

test('a slice whose pods are gone is emptied; slices of other ports are filled anew', () => {
  const old: V1EndpointSlice = { ...slice('a', 1), ports: [{ name: 'x', port: 80, protocol: 'TCP' }] };
  expect(planSlices(group(), [old])).toEqual({ create: [], update: [{ ...old, ports: [], endpoints: [] }], remove: [] });
});

test('trigger times: the creation of a service first, then the earliest change of readiness', () => {
  const times = new TriggerTimes();
  const made = { ...service, metadata: { ...service.metadata, creationTimestamp: '2026-01-01T00:00:00Z' } };
  const at = (name: string, time: string): V1Pod => ({ ...pod(name, ''), status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }] } });
  expect(times.next('k', made, [at('a', '2026-01-01T00:00:05Z')])).toBe('2026-01-01T00:00:00Z');
  expect(times.next('k', made, [at('a', '2026-01-01T00:00:05Z')])).toBeUndefined();
  expect(times.next('k', made, [at('a', '2026-01-01T00:00:09Z'), at('b', '2026-01-01T00:00:08Z')])).toBe('2026-01-01T00:00:08Z');
});

test('copies older than what was written are told', () => {
  const clock = new FakeClock();
  const expected = new ExpectedSlices(clock);
  const copy = (generation: number): V1EndpointSlice => ({ metadata: { name: 'a', generation }, addressType: 'IPv4', endpoints: [] });
  expected.wrote('k', 'a', 2);
  expect(expected.stale('k', [])).toBe(true);
  expect(expected.stale('k', [copy(1)])).toBe(true);
  expect(expected.stale('k', [copy(2)])).toBe(false);
  expected.wrote('k', 'a', undefined);
  expect(expected.stale('k', [copy(2)])).toBe(true);
  expected.removed('k', 'a');
  expect(expected.stale('k', [copy(2)])).toBe(false);
});
