import type { V1DaemonSet, V1Node, V1Pod } from '../../api/generated/types.js';
import { isPodReady } from '../../api/helpers/pod-state.js';
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../../api/resource-refs.js';
import type { FakeApi } from '../testing/fake-api.js';
import { makeReady } from '../testing/pod-runner.js';
import { startControllers, type ControllerHarness } from '../testing/test-context.js';
import { targetNode } from './daemon-pod.js';
import { daemonSetController } from './descriptor.js';

const labels = { app: 'agent' };
const set = (spec: object = {}): V1DaemonSet => ({
  metadata: { namespace: 'ns', name: 'ds', uid: 'ds-uid' },
  spec: {
    revisionHistoryLimit: 10,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'v1' }] } },
    ...spec,
  },
});
const addNode = (api: FakeApi, name: string, more: { labels?: Record<string, string>; taints?: NonNullable<V1Node['spec']>['taints'] } = {}): V1Node =>
  api.seed(NODES, { metadata: { name, labels: more.labels ?? {} }, spec: more.taints ? { taints: more.taints } : {} });
const start = (nodes: readonly string[], spec: object = {}, gracefulPods = false): Promise<ControllerHarness> =>
  startControllers([daemonSetController], (api) => {
    for (const name of nodes) addNode(api, name);
    api.seed(DAEMON_SETS, set(spec));
  }, { gracefulPods });
const edit = ({ api }: ControllerHarness, spec: object): void => void api.edit(DAEMON_SETS, 'ns', 'ds', () => ({ spec }));
const image = (name: string) => ({ template: { spec: { containers: [{ name: 'c', image: name }] } } });
const status = ({ api }: ControllerHarness) => api.find(DAEMON_SETS, 'ns', 'ds')?.status;
/** Pods run on the node they are pinned to. */
const run = ({ api }: ControllerHarness, which: (pod: V1Pod) => boolean = () => true): void => {
  for (const pod of api.all(PODS)) if (!pod.spec?.nodeName && which(pod)) api.edit(PODS, 'ns', pod.metadata!.name!, () => ({ spec: { nodeName: targetNode(pod) } }));
  makeReady(api, which);
};
const layout = ({ api }: ControllerHarness): string[] => api.all(PODS).map((pod) => `${targetNode(pod)} ${pod.spec?.containers[0]?.image}${pod.metadata?.deletionTimestamp ? ' terminating' : ''}`).sort();

test('one pod per node, pinned, tolerant, with its revision; status counts nodes', async () => {
  const harness = await start(['n1', 'n2']);
  expect(layout(harness)).toEqual(['n1 v1', 'n2 v1']);
  const pod = harness.api.all(PODS)[0]!;
  const hash = harness.api.all(CONTROLLER_REVISIONS)[0]!.metadata!.labels!['controller-revision-hash'];
  expect(pod.metadata).toMatchObject({ labels: { app: 'agent', 'controller-revision-hash': hash }, ownerReferences: [{ kind: 'DaemonSet', uid: 'ds-uid', controller: true }] });
  expect(pod.spec!.affinity!.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!.nodeSelectorTerms).toEqual([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [targetNode(pod)] }] }]);
  expect(pod.spec!.tolerations!.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
    'node.kubernetes.io/not-ready:NoExecute', 'node.kubernetes.io/unreachable:NoExecute', 'node.kubernetes.io/disk-pressure:NoSchedule',
    'node.kubernetes.io/memory-pressure:NoSchedule', 'node.kubernetes.io/pid-pressure:NoSchedule', 'node.kubernetes.io/unschedulable:NoSchedule',
  ]);
  expect(status(harness)).toEqual({ currentNumberScheduled: 2, desiredNumberScheduled: 2, numberMisscheduled: 0, numberReady: 0, numberUnavailable: 2, observedGeneration: 1, updatedNumberScheduled: 2 });
  run(harness);
  await harness.settle();
  expect(status(harness)).toMatchObject({ numberReady: 2, numberAvailable: 2 });
  expect(status(harness)).not.toHaveProperty('numberUnavailable');
  await harness.stop();
});

test('nodes come and go, are labelled and tainted', async () => {
  const harness = await start([], { template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'v1' }], nodeSelector: { disk: 'ssd' } } } });
  addNode(harness.api, 'plain');
  addNode(harness.api, 'ssd', { labels: { disk: 'ssd' } });
  addNode(harness.api, 'tainted', { labels: { disk: 'ssd' }, taints: [{ key: 'special', effect: 'NoSchedule' }] });
  addNode(harness.api, 'cordoned', { labels: { disk: 'ssd' }, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] });
  await harness.settle();
  expect(layout(harness)).toEqual(['cordoned v1', 'ssd v1']);
  run(harness);
  // A pod that runs stays when its node no longer admits new ones, and goes when it may not execute.
  harness.api.edit(NODES, '', 'ssd', () => ({ spec: { taints: [{ key: 'special', effect: 'NoSchedule' }] } }));
  harness.api.edit(NODES, '', 'plain', () => ({ metadata: { labels: { disk: 'ssd' } } }));
  await harness.settle();
  expect(layout(harness)).toEqual(['cordoned v1', 'plain v1', 'ssd v1']);
  expect(status(harness)).toMatchObject({ desiredNumberScheduled: 2, numberMisscheduled: 1 });
  harness.api.edit(NODES, '', 'ssd', () => ({ spec: { taints: [{ key: 'special', effect: 'NoExecute' }] } }));
  await harness.settle();
  expect(layout(harness)).toEqual(['cordoned v1', 'plain v1']);
  await harness.stop();
});

test('a rolling update replaces one node at a time', async () => {
  const harness = await start(['n1', 'n2', 'n3'], {}, true);
  run(harness);
  await harness.settle();
  edit(harness, image('v2'));
  for (let round = 0; round < 3; round++) {
    await harness.settle();
    const leaving = harness.api.all(PODS).filter((pod) => pod.metadata?.deletionTimestamp);
    expect(leaving).toHaveLength(1);
    expect(harness.api.all(PODS).filter((pod) => isPodReady(pod) && !pod.metadata?.deletionTimestamp)).toHaveLength(2);
    harness.api.finishPod('ns', leaving[0]!.metadata!.name!);
    await harness.settle();
    run(harness, (pod) => pod.spec?.containers[0]?.image === 'v2');
  }
  await harness.settle();
  expect(layout(harness)).toEqual(['n1 v2', 'n2 v2', 'n3 v2']);
  expect(status(harness)).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3, observedGeneration: 2 });
  await harness.stop();
});

test('broken pods of the old revision are replaced whatever maxUnavailable says', async () => {
  const harness = await start(['n1', 'n2', 'n3']);
  await harness.settle();
  edit(harness, image('v2'));
  await harness.settle();
  expect(layout(harness)).toEqual(['n1 v2', 'n2 v2', 'n3 v2']);
  await harness.stop();
});

test('maxSurge: the new pod is there before the old one goes', async () => {
  const harness = await start(['n1', 'n2'], { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
  run(harness);
  await harness.settle();
  edit(harness, image('v2'));
  await harness.settle();
  expect(layout(harness)).toHaveLength(3);
  expect(harness.api.all(PODS).filter(isPodReady)).toHaveLength(2);
  for (let round = 0; round < 2; round++) {
    run(harness);
    await harness.settle();
  }
  run(harness);
  await harness.settle();
  expect(layout(harness)).toEqual(['n1 v2', 'n2 v2']);
  await harness.stop();
});

test('OnDelete updates what is deleted by hand', async () => {
  const harness = await start(['n1', 'n2'], { updateStrategy: { type: 'OnDelete' } });
  run(harness);
  edit(harness, image('v2'));
  await harness.settle();
  expect(layout(harness)).toEqual(['n1 v1', 'n2 v1']);
  const first = harness.api.all(PODS).find((pod) => targetNode(pod) === 'n1')!;
  await harness.api.resource(PODS).delete('ns', first.metadata!.name!);
  await harness.settle();
  expect(layout(harness)).toEqual(['n1 v2', 'n2 v1']);
  expect(status(harness)).toMatchObject({ updatedNumberScheduled: 1 });
  await harness.stop();
});

test('failed pods are replaced with back-off, succeeded ones at once, surplus ones go', async () => {
  const harness = await start(['n1']);
  const fail = (): void => {
    for (const pod of harness.api.all(PODS)) harness.api.edit(PODS, 'ns', pod.metadata!.name!, () => ({ status: { phase: 'Failed' } }));
  };
  const uid = (): string | undefined => harness.api.all(PODS)[0]?.metadata?.uid;
  const first = uid();
  fail();
  await harness.settle();
  const second = uid();
  expect(second).not.toBe(first);
  expect(harness.events.some((event) => /^Warning FailedDaemonPod Found failed daemon pod ns\/ds-.{5} on node n1, will try to kill it$/.test(event))).toBe(true);
  fail();
  await harness.settle(500);
  expect(uid()).toBe(second);
  await harness.settle(600);
  expect(uid()).not.toBe(second);
  harness.api.edit(PODS, 'ns', harness.api.all(PODS)[0]!.metadata!.name!, () => ({ status: { phase: 'Running' } }));
  harness.api.seed(PODS, { metadata: { namespace: 'ns', name: 'extra', labels }, spec: { containers: [], nodeName: 'n1' } });
  await harness.settle();
  expect(harness.api.all(PODS)).toHaveLength(1);
  await harness.stop();
});

test('going back reuses the revision; old ones beyond the limit go', async () => {
  const harness = await start(['n1'], { revisionHistoryLimit: 1 });
  for (const version of ['v1', 'v2', 'v3', 'v2']) {
    edit(harness, image(version));
    await harness.settle();
    run(harness);
    await harness.settle();
  }
  expect(harness.api.all(CONTROLLER_REVISIONS).map((revision) => revision.revision).sort()).toEqual([3, 4]);
  expect(layout(harness)).toEqual(['n1 v2']);
  await harness.stop();
});
