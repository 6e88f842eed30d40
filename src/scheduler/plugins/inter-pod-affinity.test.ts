import type { V1Namespace, V1Pod, V1PodAffinityTerm } from '../../api/generated/types.js';
import type { Lister } from '../../client/index.js';
import { PodInfo } from '../cache/pod-info.js';
import { SchedulerCache } from '../cache/scheduler-cache.js';
import { filterResults, hintSays, scoreResults } from '../testing/evaluate.js';
import { makeNode, makePod } from '../testing/objects.js';
import { interPodAffinityPlugin } from './inter-pod-affinity.js';

const spaces: readonly V1Namespace[] = [{ metadata: { name: 'default' } }, { metadata: { name: 'team', labels: { kind: 'team' } } }];
const namespaces = { get: (_ns: string, name: string) => spaces.find((one) => one.metadata?.name === name), list: () => spaces } as Lister<V1Namespace>;
const plugin = interPodAffinityPlugin({}, namespaces);

const AFFINITY = "node(s) didn't match pod affinity rules";
const ANTI = "node(s) didn't match pod anti-affinity rules";
const EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules";

const nodes = [makeNode('a1', { labels: { zone: 'a' } }), makeNode('a2', { labels: { zone: 'a' } }), makeNode('b1', { labels: { zone: 'b' } }), makeNode('none')];
const term = (app: string, more: Partial<V1PodAffinityTerm> = {}): V1PodAffinityTerm => ({ topologyKey: 'zone', labelSelector: { matchLabels: { app } }, ...more });
const near = (name: string, ...terms: V1PodAffinityTerm[]): V1Pod => makePod(name, { spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } } });
const away = (name: string, terms: V1PodAffinityTerm[], more: Parameters<typeof makePod>[1] = {}): V1Pod =>
  makePod(name, { ...more, spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } } });
const web = makePod('web', { node: 'a1', labels: { app: 'web' } });

const cases: readonly (readonly [string, V1Pod, readonly V1Pod[], Record<string, string>])[] = [
  ['near a pod', near('p', term('web')), [web], { a1: 'ok', a2: 'ok', b1: AFFINITY, none: AFFINITY }],
  ['near nothing that exists', near('p', term('web')), [], { a1: AFFINITY, a2: AFFINITY, b1: AFFINITY, none: AFFINITY }],
  ['both terms by one pod', near('p', term('web'), term('other')), [web], { a1: AFFINITY, a2: AFFINITY, b1: AFFINITY, none: AFFINITY }],
  [
    'the first of a group that likes itself',
    makePod('p', { labels: { app: 'self' }, spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('self')] } } } }),
    [],
    { a1: 'ok', a2: 'ok', b1: 'ok', none: AFFINITY },
  ],
  ['away from a pod', away('p', [term('web')]), [web], { a1: ANTI, a2: ANTI, b1: 'ok', none: 'ok' }],
  [
    'kept away by a pod that is there',
    makePod('p', { labels: { app: 'noisy' } }),
    [away('lonely', [term('noisy')], { node: 'b1' })],
    { a1: 'ok', a2: 'ok', b1: EXISTING, none: 'ok' },
  ],
  ['other namespaces do not count', away('p', [term('web')]), [makePod('w', { namespace: 'team', node: 'a1', labels: { app: 'web' } })], { a1: 'ok', a2: 'ok', b1: 'ok', none: 'ok' }],
  [
    'named namespaces do',
    away('p', [term('web', { namespaces: ['team'] })]),
    [makePod('w', { namespace: 'team', node: 'a1', labels: { app: 'web' } })],
    { a1: ANTI, a2: ANTI, b1: 'ok', none: 'ok' },
  ],
  [
    'and selected ones',
    away('p', [term('web', { namespaceSelector: { matchLabels: { kind: 'team' } } })]),
    [makePod('w', { namespace: 'team', node: 'a1', labels: { app: 'web' } }), makePod('w2', { node: 'b1', labels: { app: 'web' } })],
    { a1: ANTI, a2: ANTI, b1: 'ok', none: 'ok' },
  ],
  [
    'matchLabelKeys narrow to the same version',
    away('p', [term('web', { matchLabelKeys: ['v'] })], { labels: { app: 'web', v: '2' } }),
    [makePod('old', { node: 'a1', labels: { app: 'web', v: '1' } }), makePod('new', { node: 'b1', labels: { app: 'web', v: '2' } })],
    { a1: 'ok', a2: 'ok', b1: ANTI, none: 'ok' },
  ],
];

test.each(cases)('filter: %s', (_title, pod, pods, expected) => {
  expect(filterResults(plugin, pod, nodes, pods)).toEqual(expected);
});

test('scores by preferred terms of the pod and of those that are there', () => {
  const preferring = (name: string, app: string, weight: number, node?: string): V1Pod =>
    makePod(name, {
      labels: { app: name },
      ...(node ? { node } : {}),
      spec: { affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term(app) }] } } },
    });
  expect(scoreResults(plugin, preferring('p', 'web', 10), nodes, [web])).toEqual({ a1: 100, a2: 100, b1: 0, none: 0 });
  expect(scoreResults(plugin, makePod('p', { labels: { app: 'liked' } }), nodes, [preferring('fan', 'liked', 5, 'b1')])).toEqual({ a1: 0, a2: 0, b1: 100, none: 0 });
  expect(scoreResults(plugin, makePod('p'), nodes, [web])).toBeUndefined();
});

test('counts that are kept between snapshots equal fresh ones', () => {
  const cache = new SchedulerCache();
  nodes.forEach((node) => cache.setNode(node));
  const pod = new PodInfo(away('p', [term('web')], { labels: { app: 'noisy' } }));
  const seen = (candidate: typeof plugin): string[] => {
    const snapshot = cache.snapshot();
    const filter = candidate.prepareFilter(pod, snapshot);
    if (!filter || 'code' in filter) return [];
    return snapshot.nodes.map((node, position) => filter.filter(node, position)?.reasons[0] ?? 'ok');
  };
  const steps: (() => void)[] = [
    () => cache.setPod(web),
    () => cache.setPod(away('lonely', [term('noisy')], { node: 'b1' })),
    () => cache.removePod('uid-web'),
    () => cache.setNode(makeNode('new', { labels: { zone: 'b' } })),
    () => cache.removeNode('a1'),
    () => cache.removePod('uid-lonely'),
  ];
  for (const step of steps) {
    step();
    expect(seen(plugin)).toEqual(seen(interPodAffinityPlugin({}, namespaces)));
  }
});

test('a what-if copy sees pods come and go, the original does not', () => {
  const cache = new SchedulerCache();
  nodes.forEach((node) => cache.setNode(node));
  cache.setPod(web);
  const snapshot = cache.snapshot();
  const filter = plugin.prepareFilter(new PodInfo(away('p', [term('web')])), snapshot);
  if (!filter || 'code' in filter) throw new Error('a filter is expected');
  const position = snapshot.position('a1')!;
  const node = snapshot.nodes[position]!;
  const copy = filter.fork!();
  copy.change(new PodInfo(web), node, position, -1);
  expect(copy.filter(node, position)).toBeUndefined();
  expect(filter.filter(node, position)?.reasons).toEqual([ANTI]);
});

test('a malformed selector rejects the pod only', () => {
  const bad = near('p', { topologyKey: 'zone', labelSelector: { matchExpressions: [{ key: 'a', operator: 'Nope' }] } });
  expect(filterResults(plugin, bad, nodes)).toMatch(/^parsing pod: /);
  expect(filterResults(plugin, makePod('q'), nodes, [{ ...bad, spec: { ...bad.spec!, nodeName: 'a1' } }])).toEqual({ a1: 'ok', a2: 'ok', b1: 'ok', none: 'ok' });
});

test('hints', () => {
  expect(hintSays(plugin, 'Pod', near('p', term('web')), undefined, web)).toBe(true);
  expect(hintSays(plugin, 'Pod', near('p', term('db')), undefined, web)).toBe(false);
  expect(hintSays(plugin, 'Pod', away('p', [term('web')]), web, undefined)).toBe(true);
  expect(hintSays(plugin, 'Node', near('p', term('web')), makeNode('n'), makeNode('n', { labels: { zone: 'a' } }))).toBe(true);
});
