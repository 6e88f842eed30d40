import fc from 'fast-check';
import type { V1Container, V1Pod } from '../generated/types.js';
import { withCondition } from './conditions.js';
import { deepEqual } from './deep-equal.js';
import { ageText, humanDuration } from './duration.js';
import { computeQosClass } from './pod-qos.js';
import { podLimits, podRequestQuantities, podRequests } from './pod-resources.js';
import { isPodAvailable } from './pod-state.js';
import { isExtendedResource } from './resource-names.js';
import { toleratesTaint } from './tolerations.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

test.each([
  [-5 * SECOND, '<invalid>'], [-500, '0s'], [0, '0s'], [119 * SECOND, '119s'], [120 * SECOND, '2m'], [185 * SECOND, '3m5s'], [10 * 60 * SECOND, '10m'],
  [179 * 60 * SECOND, '179m'], [3 * HOUR, '3h'], [3 * HOUR + 60 * SECOND, '3h1m'], [8 * HOUR, '8h'], [47 * HOUR, '47h'], [48 * HOUR, '2d'], [49 * HOUR, '2d1h'],
  [8 * 24 * HOUR, '8d'], [730 * 24 * HOUR, '2y'], [740 * 24 * HOUR, '2y10d'], [8 * 365 * 24 * HOUR, '8y'],
])('%d ms is %s', (milliseconds, text) => {
  expect(humanDuration(milliseconds)).toBe(text);
});

test('age of nothing is unknown', () => {
  expect(ageText(undefined, 0)).toBe('<unknown>');
  expect(ageText('1970-01-01T00:00:10Z', 15 * SECOND)).toBe('5s');
});

test('JSON equality ignores key order and emptiness', () => {
  expect(deepEqual({ a: 1, b: [] }, { b: null, a: 1 })).toBe(true);
  expect(deepEqual({ a: {} }, {})).toBe(true);
  // An optional struct is there, or not.
  expect(deepEqual({ lifecycle: {} }, {})).toBe(false);
  expect(deepEqual({ lifecycle: {} }, { lifecycle: {} })).toBe(true);
  expect(deepEqual({ a: { b: {} } }, {})).toBe(false);
  expect(deepEqual([1, 2], [2, 1])).toBe(false);
  fc.assert(fc.property(fc.jsonValue(), (value) => deepEqual(value, JSON.parse(JSON.stringify(value)))));
});

const container = (name: string, cpu: string, more: Partial<V1Container> = {}): V1Container => ({ name, resources: { requests: { cpu } }, ...more });
const pod = (spec: Partial<V1Pod['spec']>): V1Pod => ({ spec: { containers: [], ...spec } });

test('a pod needs the peak of its init containers with the sidecars before them', () => {
  const wanted = podRequests(pod({
    containers: [container('a', '100m'), container('b', '200m')],
    initContainers: [container('i', '350m'), container('s', '50m', { restartPolicy: 'Always' }), container('j', '320m')],
    overhead: { cpu: '10m' },
  }));
  expect(wanted.get('cpu')).toBe(380);
});

test('pod-level requests stand in for those of the containers', () => {
  const wanted = podRequests(pod({ containers: [container('a', '100m')], resources: { requests: { cpu: '1', 'example.com/x': '1' } } }));
  expect([...wanted]).toEqual([['cpu', 1000]]);
});

test('a resize that cannot be done counts what the container holds', () => {
  const resizing: V1Pod = {
    ...pod({ containers: [container('a', '3')] }),
    status: {
      containerStatuses: [{ name: 'a', image: '', imageID: '', ready: true, restartCount: 0, resources: { requests: { cpu: '1' } }, allocatedResources: { cpu: '2' } }],
      conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
    },
  };
  expect(podRequests(resizing, { useStatus: true }).get('cpu')).toBe(2000);
  expect(podRequests(resizing).get('cpu')).toBe(3000);
});

test('overhead adds only to limits that are set', () => {
  expect([...podLimits(pod({ containers: [{ name: 'a', resources: { limits: { memory: '1Mi' } } }], overhead: { cpu: '1', memory: '1Mi' } }))]).toEqual([['memory', 2097152]]);
  expect(podRequestQuantities(pod({ containers: [container('a', '1500m'), container('b', '500m')] })).get('cpu')!.toString()).toBe('2');
});

test.each([
  [{}, 'BestEffort'],
  [{ requests: { cpu: '1' } }, 'Burstable'],
  [{ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1000m', memory: '1024Mi' } }, 'Guaranteed'],
  [{ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }, 'Burstable'],
  [{ limits: { cpu: '1' } }, 'Burstable'],
  [{ requests: { 'example.com/gpu': '1' } }, 'BestEffort'],
])('QoS of %j is %s', (resources, expected) => {
  expect(computeQosClass({ containers: [{ name: 'a', resources }] })).toBe(expected);
});

test('availability waits for minReadySeconds', () => {
  const ready: V1Pod = { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '1970-01-01T00:00:00Z' }] } };
  expect(isPodAvailable(ready, 10, 9_999)).toBe(false);
  expect(isPodAvailable(ready, 10, 10_000)).toBe(true);
});

test('a condition keeps its transition time while its status stays', () => {
  const old = [{ type: 'A', status: 'True', lastTransitionTime: 't1', reason: 'x' }];
  expect(withCondition(old, { type: 'A', status: 'True', lastTransitionTime: 't2', reason: 'x' })).toBe(old);
  expect(withCondition(old, { type: 'A', status: 'True', lastTransitionTime: 't2', reason: 'y' })[0]).toMatchObject({ lastTransitionTime: 't1', reason: 'y' });
  expect(withCondition(old, { type: 'A', status: 'False', lastTransitionTime: 't2', reason: 'x' })[0]!.lastTransitionTime).toBe('t2');
});

test('tolerations', () => {
  const taint = { key: 'k', value: 'v', effect: 'NoSchedule' };
  expect(toleratesTaint({ operator: 'Exists' }, taint)).toBe(true);
  expect(toleratesTaint({ key: 'k', value: 'v' }, taint)).toBe(true);
  expect(toleratesTaint({ key: 'k', value: 'w' }, taint)).toBe(false);
  expect(toleratesTaint({ key: 'k', operator: 'Exists', effect: 'NoExecute' }, taint)).toBe(false);
});

test('extended resources have a foreign domain', () => {
  expect(['nvidia.com/gpu', 'cpu', 'kubernetes.io/x', 'requests.a.b/c'].map(isExtendedResource)).toEqual([true, false, false, false]);
});
