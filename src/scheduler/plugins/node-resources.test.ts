import type { V1Pod } from '../../api/generated/types.js';
import { filterResults, hintSays, scoreResults } from '../testing/evaluate.js';
import { makeNode, makePod } from '../testing/objects.js';
import { nodeResourcesBalancedAllocationPlugin } from './node-resources-balanced-allocation.js';
import { nodeResourcesFitPlugin } from './node-resources-fit.js';

const fit = nodeResourcesFitPlugin({});
const node = makeNode('n', { allocatable: { cpu: '2', memory: '4Gi', pods: '3', 'example.com/gpu': '1', 'ephemeral-storage': '10Gi' } });
const used = makePod('used', { node: 'n', requests: { cpu: '1', memory: '1Gi', 'example.com/gpu': '1' } });

const cases: readonly (readonly [string, V1Pod, string])[] = [
  ['fits exactly', makePod('p', { requests: { cpu: '1', memory: '3Gi' } }), 'ok'],
  ['too much CPU', makePod('p', { requests: { cpu: '1001m' } }), 'Insufficient cpu'],
  ['several at once', makePod('p', { requests: { cpu: '2', memory: '4Gi', 'ephemeral-storage': '11Gi' } }), 'Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage'],
  ['an extended resource', makePod('p', { requests: { 'example.com/gpu': '1' } }), 'Insufficient example.com/gpu'],
  ['overhead counts', makePod('p', { requests: { cpu: '900m' }, spec: { overhead: { cpu: '200m' } } }), 'Insufficient cpu'],
  [
    'init containers count at their peak, with the sidecars before them',
    makePod('p', {
      spec: {
        initContainers: [
          { name: 'side', restartPolicy: 'Always', resources: { requests: { cpu: '400m' } } },
          { name: 'init', resources: { requests: { cpu: '700m' } } },
        ],
        containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }],
      },
    }),
    'Insufficient cpu',
  ],
  ['pod-level requests win', makePod('p', { requests: { cpu: '100m' }, spec: { resources: { requests: { cpu: '3' } } } }), 'Insufficient cpu'],
  ['no requests', makePod('p'), 'ok'],
];

test.each(cases)('fit: %s', (_title, pod, expected) => {
  expect(filterResults(fit, pod, [node], [used])).toEqual({ n: expected });
});

test('fit: the number of pods is limited, also for pods without requests', () => {
  const others = ['a', 'b', 'c'].map((name) => makePod(name, { node: 'n' }));
  expect(filterResults(fit, makePod('p'), [node], others)).toEqual({ n: 'Too many pods' });
});

test('fit: what no empty node could give is unresolvable', () => {
  const filter = fit.prepareFilter({ pod: makePod('p'), requested: { milliCpu: 3000, memory: 0, ephemeralStorage: 0, scalars: undefined } } as never, {} as never);
  const info = { pods: [], facts: { podCapacity: 3, allocatable: { milliCpu: 2000, memory: 0, ephemeralStorage: 0 } }, requested: { milliCpu: 0, memory: 0, ephemeralStorage: 0 } };
  expect(filter && 'filter' in filter && filter.filter(info as never, 0)?.code).toBe('UnschedulableAndUnresolvable');
});

test('fit: ignored resources are left to others', () => {
  const pod = makePod('p', { requests: { 'example.com/gpu': '5' } });
  expect(filterResults(nodeResourcesFitPlugin({ ignoredResourceGroups: ['example.com'] }), pod, [node])).toEqual({ n: 'ok' });
  expect(filterResults(nodeResourcesFitPlugin({ ignoredResources: ['example.com/gpu'] }), pod, [node])).toEqual({ n: 'ok' });
});

test('fit: a resize in progress counts with the larger amount', () => {
  const resized = makePod('r', {
    node: 'n',
    requests: { cpu: '500m' },
    status: { containerStatuses: [{ name: 'c', image: '', imageID: '', ready: true, restartCount: 0, resources: { requests: { cpu: '1500m' } } }] },
  });
  expect(filterResults(fit, makePod('p', { requests: { cpu: '1' } }), [node], [resized])).toEqual({ n: 'Insufficient cpu' });
});

const four = makeNode('four', { allocatable: { cpu: '4', memory: '8Gi' } });
const eight = makeNode('eight', { allocatable: { cpu: '8', memory: '16Gi' } });
const pod = makePod('p', { requests: { cpu: '1', memory: '2Gi' } });

test.each([
  ['LeastAllocated', nodeResourcesFitPlugin({}), { four: 75, eight: 87 }],
  ['MostAllocated', nodeResourcesFitPlugin({ scoringStrategy: { type: 'MostAllocated' } }), { four: 25, eight: 12 }],
  [
    'LeastAllocated with weights',
    nodeResourcesFitPlugin({ scoringStrategy: { resources: [{ name: 'cpu', weight: 3 }, { name: 'memory', weight: 1 }] } }),
    { four: 75, eight: 87 },
  ],
  [
    'RequestedToCapacityRatio',
    nodeResourcesFitPlugin({ scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape: [{ utilization: 0, score: 0 }, { utilization: 100, score: 10 }] } } }),
    { four: 25, eight: 12 },
  ],
] as const)('fit score: %s', (_title, plugin, expected) => {
  expect(scoreResults(plugin, pod, [four, eight])).toEqual(expected);
});

test('balanced allocation prefers the node that the pod evens out', () => {
  const plugin = nodeResourcesBalancedAllocationPlugin({});
  const general = nodeResourcesBalancedAllocationPlugin({ resources: [{ name: 'cpu' }, { name: 'memory' }, { name: 'ephemeral-storage' }] });
  const nodes = [makeNode('empty'), makeNode('memory-heavy')];
  const others = [makePod('m', { node: 'memory-heavy', requests: { memory: '4Gi' } })];
  const cpuPod = makePod('p', { requests: { cpu: '2' } });
  // empty: 50 + (50 + 75 - 100) / 2; memory-heavy: 50 + (50 + 100 - 75) / 2
  expect(scoreResults(plugin, cpuPod, nodes, others)).toEqual({ empty: 62, 'memory-heavy': 87 });
  expect(scoreResults(general, cpuPod, nodes, others)).toEqual({ empty: 62, 'memory-heavy': 87 });
  expect(scoreResults(plugin, makePod('best-effort'), nodes)).toBeUndefined();
});

test('hints: deletions on nodes, growth, and the pod scaled down', () => {
  expect(hintSays(fit, 'Pod', pod, makePod('gone', { node: 'n' }), undefined)).toBe(true);
  expect(hintSays(fit, 'Pod', pod, makePod('gone'), undefined)).toBe(false);
  const grown = makeNode('four', { allocatable: { cpu: '5', memory: '8Gi' } });
  expect(hintSays(fit, 'Node', pod, four, grown)).toBe(true);
  expect(hintSays(fit, 'Node', pod, four, four)).toBe(false);
  expect(hintSays(fit, 'Node', makePod('huge', { requests: { cpu: '100' } }), undefined, grown)).toBe(false);
});
