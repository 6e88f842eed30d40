import { SeededRandom } from '../../base/random.js';
import { makeNode, makePod } from '../testing/objects.js';
import { feasibleNodesToFind, pickBest } from './choose-node.js';
import { Action, clusterEvent, matchesInterest } from './cluster-event.js';
import { fitErrorMessage } from './fit-error.js';
import { nodeChanges } from './node-changes.js';
import { selectPlugins } from './plugin-selection.js';
import { podChanges } from './pod-changes.js';
import { unresolvable, unschedulable } from './rejection.js';

test.each([
  [10, 0, 10],
  [99, 5, 99],
  [100, 0, 100],
  [500, 0, 230],
  [1000, 0, 420],
  [6000, 0, 300],
  [6000, 30, 1800],
  [1000, 5, 100],
])('of %i nodes at %i %% the search stops after %i', (nodes, percentage, expected) => {
  expect(feasibleNodesToFind(nodes, percentage)).toBe(expected);
});

test('messages count reasons, sorted as text', () => {
  const cpu = unschedulable('F', 'Insufficient cpu', 'Insufficient memory');
  const nodes = new Map([
    ['a', cpu],
    ['b', cpu],
    ['c', unresolvable('T', 'node(s) had untolerated taint(s)')],
  ]);
  const base = { nodeCount: 15, nodes, absent: unresolvable('', 'absent'), preFilterMessage: '', postFilterMessage: 'preemption: no' };
  expect(fitErrorMessage(base)).toBe('0/15 nodes are available: 1 node(s) had untolerated taint(s), 12 absent, 2 Insufficient cpu, 2 Insufficient memory. preemption: no');
  expect(fitErrorMessage({ ...base, preFilterMessage: 'no claim' })).toBe('0/15 nodes are available: no claim. preemption: no');
  expect(fitErrorMessage({ ...base, nodes: new Map(), absent: undefined, postFilterMessage: '' })).toBe('0/15 nodes are available:');
});

test('ties are broken at random among the best', () => {
  const random = new SeededRandom();
  const picked = new Set<number>();
  for (let i = 0; i < 50; i++) picked.add(pickBest(Int32Array.of(7, 8, 9), Float64Array.of(5, 1, 5), random));
  expect([...picked].sort()).toEqual([7, 9]);
});

test('plugins are switched and weighted as upstream merges them', () => {
  const namesAt = (plugins: Parameters<typeof selectPlugins>[0]): string[] => selectPlugins(plugins, 'score').map((one) => `${one.name}:${one.weight}`);
  expect(namesAt({ score: { disabled: [{ name: '*' }], enabled: [{ name: 'ImageLocality', weight: 7 }] } })).toEqual(['ImageLocality:7']);
  expect(namesAt({ multiPoint: { enabled: [{ name: 'TaintToleration', weight: 9 }] } })).toContain('TaintToleration:9');
  expect(namesAt({ multiPoint: { disabled: [{ name: 'ImageLocality' }] } })).not.toContain('ImageLocality:1');
  expect(() => selectPlugins({ score: { enabled: [{ name: 'A' }, { name: 'A' }] } }, 'score')).toThrow('enabled twice');
});

test('interests match the event or wider ones', () => {
  const label = clusterEvent('AssignedPod', Action.UpdatePodLabel);
  expect(label.label).toBe('AssignedPodUpdatePodLabel');
  expect(matchesInterest('Pod', Action.Add | Action.UpdatePodLabel, label)).toBe(true);
  expect(matchesInterest('Pod', Action.Add, label)).toBe(false);
  expect(matchesInterest('Node', Action.All, label)).toBe(false);
  expect(matchesInterest('Pod', Action.UpdatePodLabel, clusterEvent('AssignedPod', Action.Update))).toBe(false);
});

test('changes of nodes and pods are told apart', () => {
  const labelsOf = (events: readonly { label: string }[]): string[] => events.map((one) => one.label);
  const node = makeNode('a', { unschedulable: true });
  expect(labelsOf(nodeChanges(node, makeNode('a', { labels: { x: '1' }, allocatable: { cpu: '9' } })))).toEqual(['NodeUpdateNodeTaint', 'NodeUpdateNodeAllocatable', 'NodeUpdateNodeLabel']);
  expect(nodeChanges(node, { ...node, status: { ...node.status, nodeInfo: undefined } } as never)).toEqual([]);
  const pod = makePod('p', { node: 'a', requests: { cpu: '2' } });
  expect(labelsOf(podChanges(pod, makePod('p', { node: 'a', requests: { cpu: '1' }, labels: { a: 'b' } })))).toEqual(['AssignedPodUpdatePodLabel', 'AssignedPodUpdatePodScaleDown']);
  expect(labelsOf(podChanges(makePod('p'), makePod('p')))).toEqual(['UnschedulablePodUpdate']);
});
