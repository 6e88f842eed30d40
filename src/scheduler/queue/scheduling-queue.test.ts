import fc from 'fast-check';
import type { V1Pod } from '../../api/generated/types.js';
import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { ASSIGNED_POD_DELETE } from '../framework/cluster-event.js';
import { NODE_ADD } from '../framework/node-changes.js';
import type { Plugin } from '../framework/plugin.js';
import { DEFAULT_PLUGINS } from '../framework/plugin-selection.js';
import { Profile } from '../framework/profile.js';
import { makeNode, makePod } from '../testing/objects.js';
import { schedulingGatesPlugin } from '../plugins/scheduling-gates.js';
import { nodeResourcesFitPlugin } from '../plugins/node-resources-fit.js';
import { nodeUnschedulablePlugin } from '../plugins/node-unschedulable.js';
import { KeyedHeap } from './heap.js';
import { InFlightPods } from './in-flight.js';
import { Nominator } from './nominator.js';
import type { QueuedPod } from './queued-pod.js';
import { SchedulingQueue } from './scheduling-queue.js';

interface Fixture {
  readonly queue: SchedulingQueue;
  readonly clock: FakeClock;
  readonly rejected: Map<string, number>;
  readonly ready: () => number;
}

function fixture(): Fixture {
  const bind: Plugin = { name: 'DefaultBinder', bind: () => Promise.resolve() } as Plugin;
  const real: readonly Plugin[] = [schedulingGatesPlugin, nodeResourcesFitPlugin({}), nodeUnschedulablePlugin, bind];
  const plugins = new Map(DEFAULT_PLUGINS.map(({ name }): [string, Plugin] => [name, real.find((one) => one.name === name) ?? { name }]));
  const profile = new Profile({}, plugins);
  const clock = new FakeClock();
  const rejected = new Map<string, number>();
  let ready = 0;
  const queue = new SchedulingQueue({
    clock,
    log: silentLogger,
    profiles: new Map([[profile.schedulerName, profile]]),
    nominator: new Nominator(() => true),
    initialBackoffMilliseconds: 1000,
    maximumBackoffMilliseconds: 10_000,
    observer: {
      incoming: () => undefined,
      rejected: (plugin, _profile, change) => rejected.set(plugin, (rejected.get(plugin) ?? 0) + change),
      hint: () => undefined,
      gated: () => undefined,
    },
    onReady: () => ready++,
  });
  return { queue, clock, rejected, ready: () => ready };
}

function fail(queue: SchedulingQueue, pod: QueuedPod, ...plugins: string[]): void {
  pod.rejectors.clear();
  plugins.forEach((plugin) => pod.rejectors.add(plugin));
  queue.addUnschedulable(pod);
}

const names = (queue: SchedulingQueue): string[] => {
  const result: string[] = [];
  for (let pod = queue.pop(); pod; pod = queue.pop()) result.push(pod.info.name);
  return result;
};
const fitting = makeNode('n', { allocatable: { cpu: '8' } });

test('pods come out by priority, then by age', async () => {
  const { queue, clock } = fixture();
  queue.add(makePod('old', { priority: 1 }));
  await clock.advance(5);
  queue.add(makePod('young', { priority: 1 }));
  queue.add(makePod('important', { priority: 9 }));
  queue.add(makePod('humble'));
  queue.add(makePod('foreign', { spec: { schedulerName: 'other' } }));
  expect(names(queue)).toEqual(['important', 'old', 'young', 'humble']);
});

test('only fitting events move a pod, and only when a hint says so', () => {
  const { queue } = fixture();
  queue.add(makePod('p', { requests: { cpu: '6' } }));
  fail(queue, queue.pop()!, 'NodeResourcesFit');
  queue.moveAll(NODE_ADD, undefined, makeNode('small'));
  queue.moveAll(ASSIGNED_POD_DELETE, makePod('unplaced'), undefined);
  expect(queue.sizes).toMatchObject({ active: 0, backoff: 0, unschedulable: 1 });
  queue.moveAll(NODE_ADD, undefined, fitting);
  expect(queue.sizes).toMatchObject({ active: 0, backoff: 1, unschedulable: 0 });
});

test('back-off doubles up to its limit and ends at full seconds', async () => {
  const { queue, clock } = fixture();
  queue.add(makePod('p'));
  // An error makes a pod wait its time out even when the scheduler is idle.
  const waits: number[] = [];
  for (let round = 0; round < 6; round++) {
    const pod = queue.pop()!;
    fail(queue, pod);
    const start = clock.now();
    while (queue.sizes.active === 0) await clock.advance(500);
    waits.push(clock.now() - start);
  }
  expect(waits).toEqual([2000, 3000, 5000, 9000, 11_000, 11_000]);
});

test('an idle scheduler takes pods out of back-off early', () => {
  const { queue } = fixture();
  queue.add(makePod('p'));
  fail(queue, queue.pop()!, 'NodeResourcesFit');
  queue.moveAll(NODE_ADD, undefined, fitting);
  expect(queue.sizes.backoff).toBe(1);
  expect(queue.pop()?.info.name).toBe('p');
});

test('no wake-up is lost: what happens during an attempt counts when it fails', () => {
  const { queue } = fixture();
  queue.add(makePod('p', { requests: { cpu: '6' } }));
  const pod = queue.pop()!;
  queue.moveAll(NODE_ADD, undefined, fitting);
  fail(queue, pod, 'NodeResourcesFit');
  expect(queue.sizes).toMatchObject({ backoff: 1, unschedulable: 0 });
  const again = queue.pop()!;
  fail(queue, again, 'NodeUnschedulable');
  expect(queue.sizes).toMatchObject({ backoff: 0, unschedulable: 1, inFlightEvents: 0 });
});

test('a change of the pod itself during its attempt counts too', () => {
  const { queue } = fixture();
  const before = makePod('p');
  queue.add(before);
  const pod = queue.pop()!;
  const after = makePod('p', { spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] } });
  queue.update(before, after);
  fail(queue, pod, 'NodeUnschedulable');
  expect(queue.sizes.unschedulable).toBe(0);
});

test('gated pods are kept out until their gates are gone', () => {
  const { queue, rejected } = fixture();
  const gated = makePod('p', { spec: { schedulingGates: [{ name: 'a' }] } });
  queue.add(gated);
  expect(queue.sizes).toMatchObject({ active: 0, gated: 1, unschedulable: 0 });
  queue.moveAll(NODE_ADD, undefined, fitting);
  queue.activate([gated]);
  expect(queue.pop()).toBeUndefined();
  queue.update(gated, makePod('p'));
  expect(queue.sizes).toMatchObject({ active: 1, gated: 0 });
  expect(queue.pop()?.info.name).toBe('p');
  expect(rejected.get('SchedulingGates')).toBe(0);
});

test('pods that wait for five minutes are tried anyway', async () => {
  const { queue, clock } = fixture();
  queue.add(makePod('p'));
  fail(queue, queue.pop()!, 'NodeResourcesFit');
  await clock.advance(299_000);
  expect(queue.sizes.active).toBe(0);
  await clock.advance(32_000);
  expect(queue.sizes.active).toBe(1);
  expect(queue.pop()?.flushed).toBe(true);
  queue.close();
  expect(clock.pending).toBe(0);
});

test('deleted pods are gone from everywhere', () => {
  const { queue, rejected } = fixture();
  queue.add(makePod('active'));
  queue.add(makePod('stuck', { priority: 1 }));
  fail(queue, queue.pop()!, 'NodeResourcesFit');
  queue.delete('uid-active');
  queue.delete('uid-stuck');
  expect(queue.sizes).toMatchObject({ active: 0, backoff: 0, unschedulable: 0 });
  expect(rejected.get('NodeResourcesFit')).toBe(0);
});

test('a forced pod is tried whatever rejected it, also when it is being tried just now', () => {
  const { queue } = fixture();
  const pod: V1Pod = makePod('p');
  queue.add(pod);
  fail(queue, queue.pop()!, 'NodeUnschedulable');
  queue.activate([pod]);
  const again = queue.pop()!;
  queue.activate([pod]);
  fail(queue, again, 'NodeUnschedulable');
  expect(queue.sizes.unschedulable).toBe(0);
});

test('events in flight are kept exactly as long as some attempt needs them', () => {
  const flights = new InFlightPods();
  const record = (after: V1Pod): void => flights.record({ event: NODE_ADD, before: undefined, after });
  record(makePod('nobody'));
  flights.start('a');
  record(makePod('first'));
  flights.start('b');
  record(makePod('second'));
  expect(flights.eventsSince('a').map((one) => one.after?.metadata?.name)).toEqual(['first', 'second']);
  flights.done('a');
  expect(flights.eventsSince('b').map((one) => one.after?.metadata?.name)).toEqual(['second']);
  flights.done('b');
  expect(flights.eventCount).toBe(0);
});

test('the heap equals sorting, whatever is removed', () => {
  const item = fc.record({ key: fc.integer({ min: 0, max: 30 }).map(String), rank: fc.integer({ min: 0, max: 9 }) });
  fc.assert(
    fc.property(fc.array(item), fc.array(fc.integer({ min: 0, max: 30 }).map(String)), (items, removals) => {
      const heap = new KeyedHeap<{ key: string; rank: number }>((one) => one.key, (a, b) => a.rank < b.rank);
      const model = new Map<string, number>();
      for (const one of items) {
        heap.push(one);
        model.set(one.key, one.rank);
      }
      for (const key of removals) expect(heap.delete(key) !== undefined).toBe(model.delete(key));
      const ranks: number[] = [];
      for (let one = heap.pop(); one; one = heap.pop()) ranks.push(one.rank);
      expect(ranks).toEqual([...model.values()].sort((a, b) => a - b));
    }),
  );
});
