import fc from 'fast-check';
import { makeNode, makePod } from '../testing/objects.js';
import { PodInfo } from './pod-info.js';
import { SchedulerCache } from './scheduler-cache.js';
import type { Snapshot } from './snapshot.js';

const summary = (snapshot: Snapshot): unknown =>
  Object.fromEntries(
    snapshot.nodes.map((node) => [
      node.name,
      { pods: node.pods.map((pod) => pod.name).sort(), cpu: node.requested.milliCpu, nonZero: node.nonZeroMilliCpu, ports: node.usedPorts?.size ?? 0, affinity: node.podsWithAffinity.length },
    ]),
  );

test('snapshots copy only what changed, and keep what they had', () => {
  const cache = new SchedulerCache();
  ['a', 'b'].forEach((name) => cache.setNode(makeNode(name)));
  cache.setPod(makePod('p', { node: 'a', requests: { cpu: '1' } }));
  const first = cache.snapshot();
  expect(cache.snapshot()).toBe(first);
  cache.setPod(makePod('q', { node: 'a', requests: { cpu: '1' } }));
  const second = cache.snapshot();
  expect(second.get('b')).toBe(first.get('b'));
  expect(second.get('a')).not.toBe(first.get('a'));
  expect(first.get('a')!.requested.milliCpu).toBe(1000);
  expect(second.get('a')!.requested.milliCpu).toBe(2000);
  expect(second.columns).toBe(first.columns);
});

test('nodes are tried zone by zone in turn', () => {
  const cache = new SchedulerCache();
  const zones: Record<string, string> = { a1: 'a', a2: 'a', a3: 'a', b1: 'b', c1: 'c', c2: 'c' };
  for (const [name, zone] of Object.entries(zones)) cache.setNode(makeNode(name, { labels: { 'topology.kubernetes.io/zone': zone } }));
  expect(cache.snapshot().nodes.map((node) => node.name)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('an assumed pod counts until it is confirmed or forgotten', () => {
  const cache = new SchedulerCache();
  cache.setNode(makeNode('a'));
  const assume = (name: string): void => cache.assume(new PodInfo(makePod(name, { requests: { cpu: '1' } })).on('a'));
  const cpu = (): number => cache.snapshot().get('a')!.requested.milliCpu;
  assume('p');
  expect(() => assume('p')).toThrow('assumed');
  expect([cpu(), cache.assumedPodCount]).toEqual([1000, 1]);
  cache.setPod(makePod('p', { node: 'a', requests: { cpu: '1' } }));
  expect([cpu(), cache.assumedPodCount, cache.forget('uid-p')]).toEqual([1000, 0, false]);
  assume('q');
  expect(cache.forget('uid-q')).toBe(true);
  expect([cpu(), cache.assumedPodCount]).toEqual([1000, 0]);
});

test('a pod that turns up on another node than assumed counts there', () => {
  const cache = new SchedulerCache();
  ['a', 'b'].forEach((name) => cache.setNode(makeNode(name)));
  cache.assume(new PodInfo(makePod('p')).on('a'));
  cache.setPod(makePod('p', { node: 'b' }));
  expect(cache.snapshot().nodes.map((node) => node.pods.length)).toEqual([0, 1]);
});

test('pods outlive their node, and are there when it comes back', () => {
  const cache = new SchedulerCache();
  cache.setPod(makePod('early', { node: 'a' }));
  expect(cache.snapshot().nodes).toEqual([]);
  cache.setNode(makeNode('a', { images: [{ names: ['x:1'], sizeBytes: 1 }] }));
  expect(cache.snapshot().get('a')!.pods.length).toBe(1);
  expect(cache.snapshot().columns.imageNodes.get('x:1')).toBe(1);
  cache.removeNode('a');
  expect(cache.snapshot().nodes).toEqual([]);
  expect(cache.snapshot().columns.imageNodes.size).toBe(0);
  cache.setNode(makeNode('a'));
  expect(cache.snapshot().get('a')!.pods.length).toBe(1);
  cache.removeNode('a');
  cache.removePod('uid-early');
  expect(cache.nodeCount).toBe(0);
});

test('kept up step by step it equals a cache made at once', () => {
  const node = fc.constantFrom('a', 'b', 'c');
  const shape = fc.record({ name: fc.constantFrom('p', 'q', 'r', 's'), node, cpu: fc.integer({ min: 0, max: 3 }), port: fc.boolean(), affinity: fc.boolean() });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('pod' as const), pod: shape }),
    fc.record({ kind: fc.constant('remove' as const), pod: shape }),
    fc.record({ kind: fc.constant('node' as const), node }),
    fc.record({ kind: fc.constant('removeNode' as const), node }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const cache = new SchedulerCache();
      const pods = new Map<string, ReturnType<typeof makePod>>();
      const nodes = new Set<string>();
      for (const one of steps) {
        if (one.kind === 'node') {
          cache.setNode(makeNode(one.node));
          nodes.add(one.node);
        } else if (one.kind === 'removeNode') {
          cache.removeNode(one.node);
          nodes.delete(one.node);
        } else if (one.kind === 'remove') {
          cache.removePod(`uid-${one.pod.name}`);
          pods.delete(one.pod.name);
        } else {
          const containers = [{ name: 'c', resources: { requests: { cpu: String(one.pod.cpu) } }, ...(one.pod.port ? { ports: [{ containerPort: 1, hostPort: 80 }] } : {}) }];
          const pod = makePod(one.pod.name, { node: one.pod.node, spec: { containers, ...(one.pod.affinity ? { affinity: { podAffinity: {} } } : {}) } });
          cache.setPod(pod);
          pods.set(one.pod.name, pod);
        }
        cache.snapshot();
      }
      const fresh = new SchedulerCache();
      for (const name of nodes) fresh.setNode(makeNode(name));
      for (const pod of pods.values()) fresh.setPod(pod);
      expect(summary(cache.snapshot())).toEqual(summary(fresh.snapshot()));
    }),
  );
});
