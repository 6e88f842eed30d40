import type { V1Node, V1Pod } from '../../api/generated/types.js';
import type { FilterPlugin } from '../framework/plugin.js';
import { filterResults, hintSays, scoreResults } from '../testing/evaluate.js';
import { makeNode, makePod } from '../testing/objects.js';
import { imageLocalityPlugin } from './image-locality.js';
import { nodeAffinityPlugin } from './node-affinity.js';
import { nodeNamePlugin } from './node-name.js';
import { nodePortsPlugin } from './node-ports.js';
import { nodeUnschedulablePlugin } from './node-unschedulable.js';
import { schedulingGatesPlugin } from './scheduling-gates.js';
import { taintTolerationPlugin } from './taint-toleration.js';

const OFF_AFFINITY = "node(s) didn't match Pod's node affinity/selector";
const NO_PORTS = "node(s) didn't have free ports for the requested pod ports";
const UNTOLERATED = 'node(s) had untolerated taint(s)';
const withPort = (hostPort: number, hostIP?: string, protocol?: string): V1Pod =>
  makePod(`port-${hostPort}`, { node: 'a', spec: { containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort, ...(hostIP ? { hostIP } : {}), ...(protocol ? { protocol } : {}) }] }] } });
const required = (...terms: object[]): V1Pod =>
  makePod('p', { spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms as never } } } } });

interface FilterCase {
  readonly title: string;
  readonly plugin: FilterPlugin;
  readonly pod: V1Pod;
  readonly nodes: readonly V1Node[];
  readonly pods?: readonly V1Pod[];
  readonly expected: Record<string, string> | string;
}

const affinity = nodeAffinityPlugin({});
const enforced = nodeAffinityPlugin({
  addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'x', operator: 'Exists' }] }] } },
});
const ab = [makeNode('a', { labels: { x: '1' } }), makeNode('b')];

const cases: readonly FilterCase[] = [
  { title: 'cordoned nodes', plugin: nodeUnschedulablePlugin, pod: makePod('p'), nodes: [makeNode('a', { unschedulable: true }), makeNode('b')], expected: { a: 'node(s) were unschedulable', b: 'ok' } },
  {
    title: 'cordoned nodes tolerated',
    plugin: nodeUnschedulablePlugin,
    pod: makePod('p', { spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] } }),
    nodes: [makeNode('a', { unschedulable: true })],
    expected: { a: 'ok' },
  },
  { title: 'a named node', plugin: nodeNamePlugin, pod: makePod('p', { node: 'b' }), nodes: ab, expected: { a: "node(s) didn't match the requested node name", b: 'ok' } },
  {
    title: 'taints by effect and toleration',
    plugin: taintTolerationPlugin,
    pod: makePod('p', { spec: { tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }] } }),
    nodes: [
      makeNode('tolerated', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] }),
      makeNode('other-value', { taints: [{ key: 'k', value: 'w', effect: 'NoSchedule' }] }),
      makeNode('no-execute', { taints: [{ key: 'k', value: 'v', effect: 'NoExecute' }] }),
      makeNode('soft', { taints: [{ key: 'z', effect: 'PreferNoSchedule' }] }),
    ],
    expected: { tolerated: 'ok', 'other-value': UNTOLERATED, 'no-execute': UNTOLERATED, soft: 'ok' },
  },
  { title: 'node selector', plugin: affinity, pod: makePod('p', { spec: { nodeSelector: { x: '1' } } }), nodes: ab, expected: { a: 'ok', b: OFF_AFFINITY } },
  {
    title: 'affinity terms are alternatives',
    plugin: affinity,
    pod: required({ matchExpressions: [{ key: 'x', operator: 'In', values: ['2'] }] }, { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['a'] }] }),
    nodes: ab,
    expected: { a: OFF_AFFINITY, b: 'ok' },
  },
  { title: 'Gt compares numbers', plugin: affinity, pod: required({ matchExpressions: [{ key: 'x', operator: 'Gt', values: ['0'] }] }), nodes: ab, expected: { a: 'ok', b: OFF_AFFINITY } },
  { title: 'an empty term matches nothing', plugin: affinity, pod: required({}), nodes: ab, expected: { a: OFF_AFFINITY, b: OFF_AFFINITY } },
  {
    title: 'names that exclude each other',
    plugin: affinity,
    pod: required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }, { key: 'metadata.name', operator: 'In', values: ['b'] }] }),
    nodes: ab,
    expected: 'pod affinity terms conflict',
  },
  { title: 'affinity added by configuration', plugin: enforced, pod: makePod('p'), nodes: ab, expected: { a: 'ok', b: "node(s) didn't match scheduler-enforced node affinity" } },
  { title: 'a host port in use', plugin: nodePortsPlugin, pod: withPort(80), nodes: ab, pods: [withPort(80)], expected: { a: NO_PORTS, b: 'ok' } },
  { title: 'host ports of different addresses', plugin: nodePortsPlugin, pod: withPort(80, '10.0.0.1'), nodes: ab, pods: [withPort(80, '10.0.0.2')], expected: { a: 'ok', b: 'ok' } },
  { title: 'the wildcard address meets all', plugin: nodePortsPlugin, pod: withPort(80, '10.0.0.1'), nodes: ab, pods: [withPort(80)], expected: { a: NO_PORTS, b: 'ok' } },
  { title: 'protocols have their own ports', plugin: nodePortsPlugin, pod: withPort(80, undefined, 'UDP'), nodes: ab, pods: [withPort(80)], expected: { a: 'ok', b: 'ok' } },
];

test.each(cases)('filter: $title', ({ plugin, pod, nodes, pods, expected }) => {
  expect(filterResults(plugin, pod, nodes, pods)).toEqual(expected);
});

test('only named nodes are worth looking at', () => {
  const pod = required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] });
  const filter = affinity.prepareFilter({ pod } as never, {} as never);
  expect(filter && 'nodeNames' in filter && [...filter.nodeNames!]).toEqual(['b']);
});

test('soft taints and preferred affinity score, scaled to 100', () => {
  const nodes = [makeNode('none'), makeNode('one', { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] }), makeNode('two', { taints: [{ key: 'a', effect: 'PreferNoSchedule' }, { key: 'b', effect: 'PreferNoSchedule' }] })];
  expect(scoreResults(taintTolerationPlugin, makePod('p'), nodes)).toEqual({ none: 100, one: 50, two: 0 });
  const preferred = [
    { weight: 30, preference: { matchExpressions: [{ key: 'x', operator: 'Exists' }] } },
    { weight: 10, preference: { matchExpressions: [{ key: 'y', operator: 'Exists' }] } },
  ];
  const pod = makePod('p', { spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } } });
  const labelled = [makeNode('xy', { labels: { x: '', y: '' } }), makeNode('x', { labels: { x: '' } }), makeNode('neither')];
  expect(scoreResults(affinity, pod, labelled)).toEqual({ xy: 100, x: 75, neither: 0 });
});

test('images that are there already score by size and spread', () => {
  const image = { names: ['busybox:latest'], sizeBytes: 500 * 1024 * 1024 };
  const nodes = [makeNode('has', { images: [image] }), makeNode('lacks')];
  // 500 MiB on half of the nodes count 250 MiB; (250 - 23) / (1000 - 23) of 100.
  expect(scoreResults(imageLocalityPlugin, makePod('p'), nodes)).toEqual({ has: 23, lacks: 0 });
  expect(scoreResults(imageLocalityPlugin, makePod('p'), [makeNode('a')])).toBeUndefined();
});

test('gates name themselves', () => {
  const pod = makePod('p', { spec: { schedulingGates: [{ name: 'a' }, { name: 'b' }] } });
  expect(schedulingGatesPlugin.preEnqueue(pod)?.reasons).toEqual(['waiting for scheduling gates: [a b]']);
  expect(schedulingGatesPlugin.preEnqueue(makePod('p'))).toBeUndefined();
});

test('hints ask for what changed', () => {
  const tainted = makeNode('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] });
  expect(hintSays(taintTolerationPlugin, 'Node', makePod('p'), tainted, makeNode('a'))).toBe(true);
  expect(hintSays(taintTolerationPlugin, 'Node', makePod('p'), makeNode('a'), makeNode('a'))).toBe(false);
  expect(hintSays(taintTolerationPlugin, 'Node', makePod('p'), undefined, tainted)).toBe(false);
  expect(hintSays(nodePortsPlugin, 'Pod', withPort(80), withPort(80), undefined)).toBe(true);
  expect(hintSays(nodePortsPlugin, 'Pod', withPort(80), withPort(81), undefined)).toBe(false);
  const selecting = makePod('p', { spec: { nodeSelector: { x: '1' } } });
  expect(hintSays(affinity, 'Node', selecting, makeNode('b'), ab[0])).toBe(true);
  expect(hintSays(affinity, 'Node', selecting, ab[0], ab[0])).toBe(false);
});
