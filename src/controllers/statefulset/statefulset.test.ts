import type { V1Pod, V1StatefulSet } from '../../api/generated/types.js';
import { CONTROLLER_REVISIONS, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '../../api/resource-refs.js';
import { makeReady, runToEnd } from '../testing/pod-runner.js';
import { startControllers, type ControllerHarness } from '../testing/test-context.js';
import { statefulSetController } from './descriptor.js';

const labels = { app: 'db' };
const set = (spec: Partial<V1StatefulSet['spec']> = {}): V1StatefulSet => ({
  metadata: { namespace: 'ns', name: 'web', uid: 'set-uid' },
  spec: {
    replicas: 3,
    serviceName: 'svc',
    revisionHistoryLimit: 10,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'v1' }] } },
    ...spec,
  },
});
const start = (spec: Partial<V1StatefulSet['spec']> = {}, gracefulPods = false): Promise<ControllerHarness> =>
  startControllers([statefulSetController], (api) => api.seed(STATEFUL_SETS, set(spec)), { gracefulPods });
const status = ({ api }: ControllerHarness) => api.find(STATEFUL_SETS, 'ns', 'web')?.status;
const edit = ({ api }: ControllerHarness, spec: object): void => void api.edit(STATEFUL_SETS, 'ns', 'web', () => ({ spec }));
const image = (name: string) => ({ template: { spec: { containers: [{ name: 'c', image: name }] } } });
const pods = ({ api }: ControllerHarness): V1Pod[] => api.all(PODS);
const names = (harness: ControllerHarness): string[] => pods(harness).map((pod) => pod.metadata?.name ?? '');
const images = (harness: ControllerHarness): (string | undefined)[] => pods(harness).map((pod) => pod.spec?.containers[0]?.image);
const claimTemplate = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } };

test('ordered: the next member is made when the one before is ready; identity is complete', async () => {
  const harness = await start();
  expect(names(harness)).toEqual(['web-0']);
  const revision = harness.api.all(CONTROLLER_REVISIONS)[0]!;
  expect(pods(harness)[0]).toMatchObject({
    metadata: { labels: { app: 'db', 'statefulset.kubernetes.io/pod-name': 'web-0', 'apps.kubernetes.io/pod-index': '0', 'controller-revision-hash': revision.metadata!.name } },
    spec: { hostname: 'web-0', subdomain: 'svc' },
  });
  expect(revision).toMatchObject({ revision: 1, data: { spec: { template: { $patch: 'replace', spec: { containers: [{ image: 'v1' }] } } } }, metadata: { labels: { app: 'db' } } });
  makeReady(harness.api);
  await harness.settle();
  expect(names(harness)).toEqual(['web-0', 'web-1']);
  await runToEnd(harness);
  expect(names(harness)).toEqual(['web-0', 'web-1', 'web-2']);
  expect(status(harness)).toEqual({
    observedGeneration: 1, replicas: 3, readyReplicas: 3, availableReplicas: 3, currentReplicas: 3, updatedReplicas: 3, collisionCount: 0,
    currentRevision: revision.metadata!.name, updateRevision: revision.metadata!.name,
  });
  expect(harness.events[0]).toBe('Normal SuccessfulCreate Create Pod web-0 in StatefulSet web successful');
  await harness.stop();
});

test('parallel: all at once, with a start ordinal', async () => {
  const harness = await start({ podManagementPolicy: 'Parallel', ordinals: { start: 5 } });
  expect(names(harness)).toEqual(['web-5', 'web-6', 'web-7']);
  edit(harness, { replicas: 1 });
  await harness.settle();
  expect(names(harness)).toEqual(['web-5']);
  await harness.stop();
});

test('shrinking takes the highest ordinal first and waits for it to be gone', async () => {
  const harness = await start({}, true);
  await runToEnd(harness);
  edit(harness, { replicas: 1 });
  await harness.settle();
  expect(pods(harness).filter((pod) => pod.metadata?.deletionTimestamp).map((pod) => pod.metadata?.name)).toEqual(['web-2']);
  harness.api.finishPod('ns', 'web-2');
  await harness.settle();
  expect(pods(harness).filter((pod) => pod.metadata?.deletionTimestamp).map((pod) => pod.metadata?.name)).toEqual(['web-1']);
  harness.api.finishPod('ns', 'web-1');
  await harness.settle();
  expect(names(harness)).toEqual(['web-0']);
  await harness.stop();
});

test('a rolling update goes from the highest ordinal down, one at a time, and completes the revision', async () => {
  const harness = await start();
  await runToEnd(harness);
  edit(harness, image('v2'));
  await harness.settle();
  expect(images(harness)).toEqual(['v1', 'v1', 'v2']);
  await runToEnd(harness);
  expect(images(harness)).toEqual(['v2', 'v2', 'v2']);
  expect(status(harness)?.currentRevision).toBe(status(harness)?.updateRevision);
  expect(harness.api.all(CONTROLLER_REVISIONS).map((revision) => revision.revision).sort()).toEqual([1, 2]);
  edit(harness, image('v1'));
  await runToEnd(harness);
  expect(images(harness)).toEqual(['v1', 'v1', 'v1']);
  expect(harness.api.all(CONTROLLER_REVISIONS).map((revision) => revision.revision).sort()).toEqual([2, 3]);
  await harness.stop();
});

test('a partition keeps lower ordinals at the old revision, also when they are made anew', async () => {
  const harness = await start({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
  await runToEnd(harness);
  edit(harness, image('v2'));
  await runToEnd(harness);
  expect(images(harness)).toEqual(['v1', 'v1', 'v2']);
  await harness.api.resource(PODS).delete('ns', 'web-0');
  await runToEnd(harness);
  expect(images(harness)).toEqual(['v1', 'v1', 'v2']);
  expect(status(harness)).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
  await harness.stop();
});

test('maxUnavailable lets several go at once', async () => {
  const harness = await start({ podManagementPolicy: 'Parallel', replicas: 4, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: '50%' } } }, true);
  await runToEnd(harness);
  edit(harness, image('v2'));
  await harness.settle();
  expect(pods(harness).filter((pod) => pod.metadata?.deletionTimestamp).map((pod) => pod.metadata?.name)).toEqual(['web-2', 'web-3']);
  await harness.stop();
});

test('OnDelete updates only what is deleted by hand', async () => {
  const harness = await start({ updateStrategy: { type: 'OnDelete' } });
  await runToEnd(harness);
  edit(harness, image('v2'));
  await runToEnd(harness);
  expect(images(harness)).toEqual(['v1', 'v1', 'v1']);
  await harness.api.resource(PODS).delete('ns', 'web-1');
  await runToEnd(harness);
  expect(images(harness)).toEqual(['v1', 'v2', 'v1']);
  await harness.stop();
});

test('a failed member is replaced', async () => {
  const harness = await start();
  await runToEnd(harness);
  const before = harness.api.find(PODS, 'ns', 'web-1')?.metadata?.uid;
  harness.api.edit(PODS, 'ns', 'web-1', () => ({ status: { phase: 'Failed', conditions: [{ type: 'Ready', status: 'False' }] } }));
  await runToEnd(harness);
  expect(harness.api.find(PODS, 'ns', 'web-1')?.metadata?.uid).not.toBe(before);
  expect(names(harness)).toHaveLength(3);
  await harness.stop();
});

test('claims are made from templates, mounted, and kept by default', async () => {
  const harness = await start({ replicas: 2, volumeClaimTemplates: [claimTemplate] });
  await runToEnd(harness);
  expect(harness.api.all(PERSISTENT_VOLUME_CLAIMS).map((claim) => [claim.metadata?.name, claim.metadata?.labels, claim.metadata?.ownerReferences])).toEqual([['data-web-0', labels, undefined], ['data-web-1', labels, undefined]]);
  expect(pods(harness)[1]!.spec!.volumes).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-1' } }]);
  expect(harness.events).toContain('Normal SuccessfulCreate Create Claim data-web-0 Pod web-0 in StatefulSet web success');
  edit(harness, { replicas: 1 });
  await runToEnd(harness);
  expect(harness.api.all(PERSISTENT_VOLUME_CLAIMS)).toHaveLength(2);
  await harness.stop();
});

test('the retention policy gives claims to the set or to the pod that is scaled away', async () => {
  const harness = await start({ replicas: 2, volumeClaimTemplates: [claimTemplate], persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' } }, true);
  await runToEnd(harness);
  const owners = (name: string) => harness.api.find(PERSISTENT_VOLUME_CLAIMS, 'ns', name)?.metadata?.ownerReferences?.map((reference) => reference.kind);
  expect(owners('data-web-0')).toEqual(['StatefulSet']);
  expect(owners('data-web-1')).toEqual(['StatefulSet']);
  edit(harness, { replicas: 1 });
  await harness.settle();
  expect(owners('data-web-1')).toEqual(['Pod']);
  expect(owners('data-web-0')).toEqual(['StatefulSet']);
  edit(harness, { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' } });
  await harness.settle();
  expect(owners('data-web-0')).toEqual([]);
  await harness.stop();
});

test('unused revisions beyond the limit go', async () => {
  const harness = await start({ replicas: 1, revisionHistoryLimit: 1 });
  for (const version of ['v1', 'v2', 'v3', 'v4', 'v5']) {
    edit(harness, image(version));
    await runToEnd(harness);
  }
  await harness.settle();
  expect(harness.api.all(CONTROLLER_REVISIONS).map((revision) => revision.revision).sort()).toEqual([4, 5]);
  await harness.stop();
});

test('minReadySeconds holds the next member back', async () => {
  const harness = await start({ replicas: 2, minReadySeconds: 10 });
  makeReady(harness.api);
  await harness.settle();
  expect(names(harness)).toEqual(['web-0']);
  expect(status(harness)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
  await harness.settle(10_000);
  expect(names(harness)).toEqual(['web-0', 'web-1']);
  await harness.stop();
});
