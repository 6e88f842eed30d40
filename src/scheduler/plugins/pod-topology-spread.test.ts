import type { V1Pod, V1TopologySpreadConstraint } from '../../api/generated/types.js';
import type { Lister } from '../../client/index.js';
import { filterResults, hintSays, scoreResults } from '../testing/evaluate.js';
import { makeNode, makePod } from '../testing/objects.js';
import { podTopologySpreadPlugin } from './pod-topology-spread.js';

const lister = <T>(...objects: T[]): Lister<never> =>
  ({ get: (_ns: string, name: string) => objects.find((one) => (one as { metadata: { name: string } }).metadata.name === name), list: () => objects }) as unknown as Lister<never>;
const listers = {
  services: lister({ metadata: { name: 'svc', namespace: 'default' }, spec: { selector: { app: 'web' } } }),
  replicationControllers: lister(),
  replicaSets: lister({ metadata: { name: 'rs' }, spec: { selector: { matchLabels: { app: 'db' } } } }),
  statefulSets: lister(),
};
const plugin = podTopologySpreadPlugin({}, listers);

const SKEWED = "node(s) didn't match pod topology spread constraints";
const NO_LABEL = `${SKEWED} (missing required label)`;
const nodes = [makeNode('a1', { labels: { zone: 'a' } }), makeNode('a2', { labels: { zone: 'a' } }), makeNode('b1', { labels: { zone: 'b' } }), makeNode('none')];
const constraint = (more: Partial<V1TopologySpreadConstraint> = {}): V1TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...more,
});
const spreading = (constraints: V1TopologySpreadConstraint[], more: Parameters<typeof makePod>[1] = {}): V1Pod =>
  makePod('p', { labels: { app: 'web' }, ...more, spec: { topologySpreadConstraints: constraints, ...more?.spec } });
const on = (node: string, name = `on-${node}`, more: Parameters<typeof makePod>[1] = {}): V1Pod => makePod(name, { node, labels: { app: 'web' }, ...more });

const cases: readonly (readonly [string, V1Pod, readonly V1Pod[], Record<string, string>])[] = [
  ['the fuller zone is closed', spreading([constraint()]), [on('a1')], { a1: SKEWED, a2: SKEWED, b1: 'ok', none: NO_LABEL }],
  ['skew 2 leaves room', spreading([constraint({ maxSkew: 2 })]), [on('a1')], { a1: 'ok', a2: 'ok', b1: 'ok', none: NO_LABEL }],
  ['a pod that does not match itself', spreading([constraint()], { labels: {} }), [on('a1')], { a1: 'ok', a2: 'ok', b1: 'ok', none: NO_LABEL }],
  ['too few domains count as empty', spreading([constraint({ minDomains: 3 })]), [on('a1'), on('b1')], { a1: SKEWED, a2: SKEWED, b1: SKEWED, none: NO_LABEL }],
  ['pods being deleted do not count', spreading([constraint()]), [{ ...on('a1'), metadata: { ...on('a1').metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }], { a1: 'ok', a2: 'ok', b1: 'ok', none: NO_LABEL }],
  ['nor those of other namespaces', spreading([constraint()]), [on('a1', 'x', { namespace: 'other' })], { a1: 'ok', a2: 'ok', b1: 'ok', none: NO_LABEL }],
  [
    'nodes ruled out by affinity do not count',
    spreading([constraint()], { spec: { nodeSelector: { zone: 'a' } } }),
    [on('a1')],
    { a1: 'ok', a2: 'ok', b1: 'ok', none: NO_LABEL },
  ],
  [
    'unless told to ignore that',
    spreading([constraint({ nodeAffinityPolicy: 'Ignore' })], { spec: { nodeSelector: { zone: 'a' } } }),
    [on('a1')],
    { a1: SKEWED, a2: SKEWED, b1: 'ok', none: NO_LABEL },
  ],
  ['matchLabelKeys', spreading([constraint({ matchLabelKeys: ['v'] })], { labels: { app: 'web', v: '2' } }), [on('a1', 'x', { labels: { app: 'web', v: '1' } })], { a1: 'ok', a2: 'ok', b1: 'ok', none: NO_LABEL }],
  [
    'two constraints at once',
    spreading([constraint({ maxSkew: 5 }), constraint({ topologyKey: 'kubernetes.io/hostname' })]),
    [on('a1')],
    { a1: SKEWED, a2: 'ok', b1: 'ok', none: NO_LABEL },
  ],
];

test.each(cases)('filter: %s', (_title, pod, pods, expected) => {
  expect(filterResults(plugin, pod, nodes, pods)).toEqual(expected);
});

test('tainted nodes count unless taints are honoured', () => {
  const withTaint = [nodes[0]!, makeNode('b1', { labels: { zone: 'b' }, taints: [{ key: 'k', effect: 'NoSchedule' }] })];
  expect(filterResults(plugin, spreading([constraint()]), withTaint, [on('a1')])).toEqual({ a1: SKEWED, b1: 'ok' });
  expect(filterResults(plugin, spreading([constraint({ nodeTaintsPolicy: 'Honor' })]), withTaint, [on('a1')])).toEqual({ a1: 'ok', b1: 'ok' });
});

test('soft constraints score; nodes without the label get nothing', () => {
  const soft = spreading([constraint({ whenUnsatisfiable: 'ScheduleAnyway' })]);
  const scores = scoreResults(plugin, soft, nodes, [on('a1'), on('a2')])!;
  expect(scores).toEqual({ a1: 0, a2: 0, b1: 100, none: 0 });
});

test('pods of a service or controller are spread by default, others not', () => {
  const ofService = makePod('p', { labels: { app: 'web' } });
  const scores = scoreResults(plugin, ofService, nodes, [on('a1'), on('a1', 'second')])!;
  expect(scores['a1']).toBeLessThan(scores['a2']!);
  const ofReplicaSet: V1Pod = { ...makePod('q', { labels: { app: 'db' } }), metadata: { ...makePod('q').metadata, labels: { app: 'db' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u', controller: true }] } };
  const dbScores = scoreResults(plugin, ofReplicaSet, nodes, [makePod('db', { node: 'b1', labels: { app: 'db' } })])!;
  expect(dbScores['b1']).toBeLessThan(dbScores['a1']!);
  expect(scoreResults(plugin, makePod('alone'), nodes)).toBeUndefined();
  expect(scoreResults(podTopologySpreadPlugin({ defaultingType: 'List' }, listers), ofService, nodes)).toBeUndefined();
});

test('hints', () => {
  const pod = spreading([constraint()]);
  expect(hintSays(plugin, 'Pod', pod, undefined, on('b1'))).toBe(true);
  expect(hintSays(plugin, 'Pod', pod, undefined, on('b1', 'x', { namespace: 'other' }))).toBe(false);
  expect(hintSays(plugin, 'Node', pod, undefined, nodes[0])).toBe(true);
  expect(hintSays(plugin, 'Node', pod, undefined, nodes[3])).toBe(false);
});
