import { Registry } from 'prom-client';
import type { V1Pod } from '../api/generated/types.js';
import { DISRUPTION_TARGET, podCondition } from '../api/helpers/pod-state.js';
import { NODES, POD_DISRUPTION_BUDGETS, PODS, PRIORITY_CLASSES } from '../api/resource-refs.js';
import { FakeClock } from '../base/clock.js';
import type { Component } from '../base/component.js';
import { silentLogger } from '../base/log.js';
import { SeededRandom } from '../base/random.js';
import type { SchedulerEnvironment } from './environment.js';
import { createScheduler } from './index.js';
import type { SchedulerOptions } from './options.js';
import { FakeCluster } from './testing/fake-cluster.js';
import { makeNode, makePod } from './testing/objects.js';

interface Setup {
  readonly cluster: FakeCluster;
  readonly clock: FakeClock;
  readonly registry: Registry;
  readonly scheduler: Component;
}

async function setup(options: SchedulerOptions = {}, prepare: (cluster: FakeCluster) => void = () => undefined, extra: Partial<SchedulerEnvironment> = {}): Promise<Setup> {
  const cluster = new FakeCluster();
  prepare(cluster);
  const clock = new FakeClock();
  const registry = new Registry();
  const env = { client: cluster.client, informers: cluster.informers, recorder: cluster.recorder, clock, random: new SeededRandom(), log: silentLogger, metrics: registry, ...extra };
  const scheduler = createScheduler(options, env);
  await scheduler.start(new AbortController().signal);
  await clock.advance(0);
  return { cluster, clock, registry, scheduler };
}

const nodeOf = (pod: V1Pod | undefined): string | undefined => pod?.spec?.nodeName;

test('binds pods, spreads them by load and says so', async () => {
  const { cluster, clock, registry, scheduler } = await setup({}, (c) => ['n1', 'n2', 'n3'].forEach((name) => c.put(NODES, makeNode(name))));
  for (let i = 0; i < 9; i++) cluster.put(PODS, makePod(`p${i}`, { requests: { cpu: '500m', memory: '256Mi' } }));
  await clock.advance(10);
  const counts = new Map<string, number>();
  for (let i = 0; i < 9; i++) counts.set(nodeOf(cluster.pod(`p${i}`))!, (counts.get(nodeOf(cluster.pod(`p${i}`))!) ?? 0) + 1);
  expect([...counts.values()]).toEqual([3, 3, 3]);
  expect(cluster.events).toContainEqual({
    object: 'p0',
    type: 'Normal',
    reason: 'Scheduled',
    message: `Successfully assigned default/p0 to ${nodeOf(cluster.pod('p0'))}`,
    component: 'default-scheduler',
  });
  const metrics = await registry.metrics();
  expect(metrics).toContain('scheduler_schedule_attempts_total{result="scheduled",profile="default-scheduler"} 9');
  expect(metrics).toContain('scheduler_pending_pods{queue="active"} 0');
  expect(metrics).toContain('scheduler_cache_size{type="pods"} 9');
  await scheduler.stop(1000);
  expect(clock.pending).toBe(0);
});

test('says why a pod is pending, and binds it once a node fits', async () => {
  const { cluster, clock } = await setup({}, (c) => {
    c.put(NODES, makeNode('tainted', { taints: [{ key: 'k', effect: 'NoSchedule' }] }));
    c.put(NODES, makeNode('small1', { allocatable: { cpu: '1' } }));
    c.put(NODES, makeNode('small2', { allocatable: { cpu: '1' } }));
  });
  cluster.put(PODS, makePod('big', { requests: { cpu: '3' } }));
  await clock.advance(10);
  const message =
    '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, ' +
    'preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';
  expect(cluster.events).toEqual([{ object: 'big', type: 'Warning', reason: 'FailedScheduling', message, component: 'default-scheduler' }]);
  expect(podCondition(cluster.pod('big')!, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'Unschedulable', message });
  cluster.put(NODES, makeNode('large', { allocatable: { cpu: '8' } }));
  await clock.advance(3000);
  expect(nodeOf(cluster.pod('big'))).toBe('large');
});

test('a node that appears while a pod is being tried wakes that pod up', async () => {
  const { cluster, clock } = await setup({}, (c) => c.put(NODES, makeNode('n1', { unschedulable: true })));
  cluster.put(PODS, makePod('p'));
  await clock.advance(10);
  expect(nodeOf(cluster.pod('p'))).toBeUndefined();
  cluster.put(NODES, makeNode('n1'));
  await clock.advance(3000);
  expect(nodeOf(cluster.pod('p'))).toBe('n1');
});

test('without nodes pods wait with back-off', async () => {
  const { cluster, clock } = await setup();
  cluster.put(PODS, makePod('p'));
  await clock.advance(10);
  expect(cluster.events[0]).toMatchObject({ reason: 'FailedScheduling', message: 'no nodes available to schedule pods' });
  cluster.put(NODES, makeNode('n1'));
  await clock.advance(3000);
  expect(nodeOf(cluster.pod('p'))).toBe('n1');
});

test('gated pods wait for their gates', async () => {
  const { cluster, clock } = await setup({}, (c) => c.put(NODES, makeNode('n1')));
  cluster.put(PODS, makePod('p', { spec: { schedulingGates: [{ name: 'example.com/hold' }] } }));
  await clock.advance(10_000);
  expect(nodeOf(cluster.pod('p'))).toBeUndefined();
  expect(podCondition(cluster.pod('p')!, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'SchedulingGated' });
  expect(cluster.events).toEqual([]);
  cluster.put(PODS, makePod('p'));
  await clock.advance(10);
  expect(nodeOf(cluster.pod('p'))).toBe('n1');
});

test('a failed binding frees the place and is tried again', async () => {
  const { cluster, clock } = await setup({}, (c) => c.put(NODES, makeNode('n1', { allocatable: { pods: '1' } })));
  let failures = 1;
  cluster.onWrite = (write) => {
    if (write.startsWith('binding') && failures-- > 0) throw new Error('no luck');
  };
  cluster.put(PODS, makePod('p'));
  await clock.advance(10);
  expect(cluster.events[0]).toMatchObject({ reason: 'FailedScheduling', message: 'running Bind plugin "DefaultBinder": no luck' });
  await clock.advance(5000);
  expect(nodeOf(cluster.pod('p'))).toBe('n1');
});

test('leaves pods of other schedulers alone and serves several profiles', async () => {
  const profiles = [{ schedulerName: 'a' }, { schedulerName: 'b', plugins: { multiPoint: { disabled: [{ name: 'TaintToleration' }] } } }];
  const { cluster, clock } = await setup({ profiles }, (c) => c.put(NODES, makeNode('n1', { taints: [{ key: 'k', effect: 'NoSchedule' }] })));
  for (const name of ['a', 'b', 'c']) cluster.put(PODS, makePod(name, { spec: { schedulerName: name } }));
  await clock.advance(10);
  expect(['a', 'b', 'c'].map((name) => nodeOf(cluster.pod(name)))).toEqual([undefined, 'n1', undefined]);
  expect(cluster.events.map((one) => [one.object, one.reason, one.component])).toEqual([
    ['a', 'FailedScheduling', 'a'],
    ['b', 'Scheduled', 'b'],
  ]);
});

test('preempts pods of lower priority, the fewest and least important, and nominates the node', async () => {
  const { cluster, clock } = await setup({}, (c) => {
    c.put(NODES, makeNode('n1', { allocatable: { cpu: '2' } }));
    c.put(NODES, makeNode('n2', { allocatable: { cpu: '2' } }));
    c.put(PODS, makePod('low1', { node: 'n1', priority: 1, requests: { cpu: '1' } }));
    c.put(PODS, makePod('low2', { node: 'n1', priority: 5, requests: { cpu: '1' } }));
    c.put(PODS, makePod('mid', { node: 'n2', priority: 50, requests: { cpu: '2' } }));
    c.put(PRIORITY_CLASSES, { metadata: { name: 'unused' }, value: 1 });
  });
  cluster.put(PODS, makePod('high', { priority: 100, requests: { cpu: '1' } }));
  await clock.advance(10);
  expect(cluster.pod('low1')).toBeUndefined();
  expect(cluster.pod('low2')).toBeDefined();
  expect(cluster.pod('mid')).toBeDefined();
  const condition = cluster.writes.find((write) => write.startsWith('patch pods/status default/low1'));
  expect(condition).toContain(`"type":"${DISRUPTION_TARGET}","status":"True","reason":"PreemptionByScheduler","message":"default-scheduler: preempting to accommodate a higher priority pod"`);
  expect(cluster.events).toContainEqual({ object: 'low1', type: 'Normal', reason: 'Preempted', message: 'Preempted by pod uid-high on node n1', component: 'default-scheduler' });
  expect(cluster.events[0]).toMatchObject({ object: 'high', message: '0/2 nodes are available: 2 Insufficient cpu.' });
  expect(cluster.writes.some((write) => write.includes('"nominatedNodeName":"n1"'))).toBe(true);
  await clock.advance(5000);
  expect(nodeOf(cluster.pod('high'))).toBe('n1');
});

test('preemption respects preemptionPolicy Never and prefers not to break disruption budgets', async () => {
  const { cluster, clock } = await setup({}, (c) => {
    c.put(NODES, makeNode('n1', { allocatable: { cpu: '1' } }));
    c.put(NODES, makeNode('n2', { allocatable: { cpu: '1' } }));
    c.put(PODS, makePod('guarded', { node: 'n1', priority: 1, labels: { app: 'g' }, requests: { cpu: '1' } }));
    c.put(PODS, makePod('free', { node: 'n2', priority: 2, labels: { app: 'f' }, requests: { cpu: '1' } }));
    c.put(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'g', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'g' } } },
      status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    });
  });
  cluster.put(PODS, makePod('polite', { priority: 100, requests: { cpu: '1' }, spec: { preemptionPolicy: 'Never' } }));
  await clock.advance(10);
  expect(cluster.events[0]!.message).toBe('0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.');
  cluster.put(PODS, makePod('high', { priority: 100, requests: { cpu: '1' } }));
  await clock.advance(10);
  expect(cluster.pod('guarded')).toBeDefined();
  expect(cluster.pod('free')).toBeUndefined();
});

test('a pod that is deleted before it is bound frees its place', async () => {
  const { cluster, clock } = await setup({}, (c) => c.put(NODES, makeNode('n1', { allocatable: { pods: '1' } })));
  let release: () => void = () => undefined;
  cluster.onWrite = (write) => (write === 'binding default/first n1' ? new Promise<void>((resolve) => (release = resolve)) : undefined);
  cluster.put(PODS, makePod('first'));
  await clock.advance(10);
  cluster.put(PODS, makePod('second'));
  await clock.advance(10);
  expect(nodeOf(cluster.pod('second'))).toBeUndefined();
  cluster.remove(PODS, 'default', 'first');
  release();
  await clock.advance(5000);
  expect(nodeOf(cluster.pod('second'))).toBe('n1');
});

test('asks HTTP extenders', async () => {
  const asked: string[] = [];
  const post = (url: string, body: unknown): Promise<unknown> => {
    asked.push(url);
    const { NodeNames } = body as { NodeNames: string[] };
    if (url.endsWith('/filter')) return Promise.resolve({ NodeNames: NodeNames.filter((name) => name !== 'n1'), FailedNodes: { n1: 'not this one' } });
    return Promise.resolve(NodeNames.map((Host) => ({ Host, Score: Host === 'n3' ? 10 : 0 })));
  };
  const extenders = [{ urlPrefix: 'http://ext/', filterVerb: 'filter', prioritizeVerb: 'prioritize', weight: 5, nodeCacheCapable: true }];
  const { cluster, clock } = await setup({ extenders }, (c) => ['n1', 'n2', 'n3'].forEach((name) => c.put(NODES, makeNode(name))), { post });
  cluster.put(PODS, makePod('p'));
  await clock.advance(10);
  expect(nodeOf(cluster.pod('p'))).toBe('n3');
  expect(asked).toEqual(['http://ext/filter', 'http://ext/prioritize']);
});

test('refuses a configuration that names unknown plugins', async () => {
  await expect(setup({ profiles: [{ plugins: { filter: { enabled: [{ name: 'Nope' }] } } }] })).rejects.toThrow('filter plugin "Nope" does not exist');
  await expect(setup({ profiles: [{}, {}] })).rejects.toThrow('duplicate profile');
});

test('takes the place of a scheduler that was stopped', async () => {
  const first = await setup({}, (c) => c.put(NODES, makeNode('n1')));
  await first.scheduler.stop(1000);
  await first.scheduler.stop(1000);
  const { cluster, clock, registry } = first;
  const env = { client: cluster.client, informers: cluster.informers, recorder: cluster.recorder, clock, random: new SeededRandom(), log: silentLogger, metrics: registry };
  await createScheduler({}, env).start(new AbortController().signal);
  cluster.put(PODS, makePod('p'));
  await clock.advance(10);
  expect(nodeOf(cluster.pod('p'))).toBe('n1');
  expect(cluster.writes.filter((write) => write.startsWith('binding'))).toHaveLength(1);
});
