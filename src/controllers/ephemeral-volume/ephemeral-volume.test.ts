import type { V1Pod } from '../../api/generated/types.js';
import { PERSISTENT_VOLUME_CLAIMS as CLAIMS, PODS } from '../../api/resource-refs.js';
import { startControllers, type ControllerHarness } from '../testing/test-context.js';
import { ephemeralVolumeController } from './descriptor.js';

let harness: ControllerHarness | undefined;
afterEach(() => harness?.stop());

const pod = (name: string): V1Pod => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'a', name },
  spec: {
    containers: [],
    volumes: [
      { name: 'scratch', ephemeral: { volumeClaimTemplate: { metadata: { labels: { x: 'y' }, annotations: { k: 'v' } }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } } },
      { name: 'other', emptyDir: {} },
    ],
  },
});

test('each ephemeral volume gets a claim that belongs to the pod', async () => {
  harness = await startControllers([ephemeralVolumeController], (api) => api.seed(PODS, pod('p')));
  const { uid } = harness.api.find(PODS, 'a', 'p')!.metadata!;
  expect(harness.api.all(CLAIMS)).toMatchObject([{
    metadata: {
      namespace: 'a', name: 'p-scratch', labels: { x: 'y' }, annotations: { k: 'v' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }]);
  await harness.api.resource(CLAIMS).delete('a', 'p-scratch');
  await harness.settle();
  expect(harness.api.all(CLAIMS)).toHaveLength(1);
});

test('a claim of somebody else is not taken', async () => {
  harness = await startControllers([ephemeralVolumeController], (api) => {
    api.seed(CLAIMS, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'a', name: 'p-scratch' } });
    api.seed(PODS, pod('p'));
  });
  expect(harness.events[0]).toBe('Warning FailedBinding ephemeral volume scratch: PVC a/p-scratch was not created for pod a/p (pod is not owner)');
  await harness.api.resource(CLAIMS).delete('a', 'p-scratch');
  await harness.settle(1000);
  expect(harness.api.all(CLAIMS)[0]!.metadata!.ownerReferences).toHaveLength(1);
});

test('nothing is made for a pod that is going', async () => {
  harness = await startControllers([ephemeralVolumeController], (api) => api.seed(PODS, { ...pod('p'), metadata: { namespace: 'a', name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] } }));
  expect(harness.api.all(CLAIMS)).toEqual([]);
});
