import type { V1Pod, V1ReplicaSet } from '../../api/generated/types.js';
import { PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '../../api/resource-refs.js';
import { forbiddenError } from '../../api/status-error.js';
import type { FakeApi } from '../testing/fake-api.js';
import { ownerReferenceTo } from '../testing/memory-collection.js';
import { startControllers } from '../testing/test-context.js';
import { replicationControllerController } from '../replicationcontroller/descriptor.js';
import { replicaSetController } from './descriptor.js';

const labels = { app: 'a' };
const rs = (replicas: number, extra: Partial<V1ReplicaSet['spec']> = {}): V1ReplicaSet => ({
  metadata: { namespace: 'ns', name: 'web', uid: 'rs-uid' },
  spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'c' }] } }, ...extra },
});
const status = (api: FakeApi) => api.find(REPLICA_SETS, 'ns', 'web')?.status;
const ready = (api: FakeApi, name: string, at = api.clock.now()): V1Pod =>
  api.edit(PODS, 'ns', name, () => ({ spec: { nodeName: 'n' }, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date(at).toISOString() }] } }));

test('creates what is missing, with owner and labels, and counts it', async () => {
  const { api, events, stop } = await startControllers([replicaSetController], (fake) => fake.seed(REPLICA_SETS, rs(3)));
  const pods = api.all(PODS);
  expect(pods).toHaveLength(3);
  expect(pods[0]!.metadata).toMatchObject({ labels, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs-uid', controller: true, blockOwnerDeletion: true }] });
  expect(pods[0]!.metadata!.name).toMatch(/^web-.{5}$/);
  expect(status(api)).toEqual({ replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 1, terminatingReplicas: 0 });
  expect(events).toContain(`Normal SuccessfulCreate Created pod: ${pods[0]!.metadata!.name}`);
  await stop();
});

test('does not act twice on a view that lags behind', async () => {
  const { api, settle, stop } = await startControllers([replicaSetController], (fake) => fake.memoryInformer(PODS).pause());
  api.seed(REPLICA_SETS, rs(2));
  await settle();
  api.edit(REPLICA_SETS, 'ns', 'web', () => ({ metadata: { labels: { touched: 'yes' } } }));
  await settle();
  expect(api.all(PODS)).toHaveLength(2);
  api.memoryInformer(PODS).resume();
  await settle();
  expect(api.all(PODS)).toHaveLength(2);
  expect(status(api)?.replicas).toBe(2);
  await stop();
});

test('replaces a pod as soon as it begins to terminate', async () => {
  const { api, settle, stop } = await startControllers([replicaSetController], (fake) => fake.seed(REPLICA_SETS, rs(1)), { gracefulPods: true });
  const first = api.all(PODS)[0]!.metadata!.name!;
  await api.resource(PODS).delete('ns', first);
  await settle();
  expect(api.all(PODS)).toHaveLength(2);
  expect(status(api)).toMatchObject({ replicas: 1, terminatingReplicas: 1 });
  api.finishPod('ns', first);
  await settle();
  expect(status(api)).toMatchObject({ replicas: 1, terminatingReplicas: 0 });
  await stop();
});

test('scales down by rank: unassigned, not ready, cheap, young', async () => {
  const { api, settle, stop } = await startControllers([replicaSetController], (fake) => fake.seed(REPLICA_SETS, rs(5)));
  const names = api.all(PODS).map((pod) => pod.metadata!.name!);
  ready(api, names[0]!, api.clock.now() - 3600_000);
  ready(api, names[1]!);
  ready(api, names[2]!, api.clock.now() - 3600_000);
  api.edit(PODS, 'ns', names[0]!, () => ({ metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } } }));
  api.edit(PODS, 'ns', names[3]!, () => ({ spec: { nodeName: 'n' }, status: { phase: 'Running' } }));
  await settle();
  const gone: string[] = [];
  for (const replicas of [4, 3, 2, 1]) {
    const before = api.all(PODS).map((pod) => pod.metadata!.name!);
    api.edit(REPLICA_SETS, 'ns', 'web', () => ({ spec: { replicas } }));
    await settle();
    const after = new Set(api.all(PODS).map((pod) => pod.metadata!.name!));
    gone.push(...before.filter((name) => !after.has(name)));
  }
  expect(gone).toEqual([names[4], names[3], names[0], names[1]]);
  await stop();
});

test('adopts matching orphans, releases what no longer matches, ignores others and the deleted', async () => {
  const { api, settle, stop } = await startControllers([replicaSetController], (fake) => {
    fake.seed(PODS, { metadata: { namespace: 'ns', name: 'orphan', labels }, spec: { containers: [] } });
    fake.seed(PODS, { metadata: { namespace: 'ns', name: 'taken', labels, ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }] }, spec: { containers: [] } });
    fake.seed(PODS, { metadata: { namespace: 'other', name: 'elsewhere', labels }, spec: { containers: [] } });
    fake.seed(REPLICA_SETS, rs(1));
  });
  expect(api.all(PODS)).toHaveLength(3);
  expect(api.find(PODS, 'ns', 'orphan')?.metadata?.ownerReferences).toMatchObject([{ uid: 'rs-uid', controller: true }]);
  api.edit(PODS, 'ns', 'orphan', () => ({ metadata: { labels: { app: 'b' } } }));
  await settle();
  expect(api.find(PODS, 'ns', 'orphan')?.metadata?.ownerReferences).toEqual([]);
  expect(api.all(PODS)).toHaveLength(4);
  await stop();
});

test('a refusal stops the slow start, is reported and retried', async () => {
  let refuse = true;
  const { api, events, settle, stop } = await startControllers([replicaSetController], (fake) => {
    fake.react = (action) => {
      if (refuse && action.verb === 'create' && action.resource === 'pods') throw forbiddenError({ group: '', resource: 'pods' }, 'x', 'exceeded quota');
      return undefined;
    };
    fake.seed(REPLICA_SETS, rs(100));
  });
  expect(api.actions.filter((action) => action.verb === 'create' && action.resource === 'pods').length).toBeLessThan(20);
  expect(status(api)?.conditions).toMatchObject([{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'pods "x" is forbidden: exceeded quota' }]);
  expect(events[0]).toBe('Warning FailedCreate Error creating: pods "x" is forbidden: exceeded quota');
  refuse = false;
  await settle(5000);
  expect(api.all(PODS)).toHaveLength(100);
  expect(status(api)?.conditions).toBeUndefined();
  await stop();
});

test('minReadySeconds delays availability', async () => {
  const { api, settle, stop } = await startControllers([replicaSetController], (fake) => fake.seed(REPLICA_SETS, rs(1, { minReadySeconds: 10 })));
  ready(api, api.all(PODS)[0]!.metadata!.name!);
  await settle();
  expect(status(api)).toMatchObject({ readyReplicas: 1 });
  expect(status(api)?.availableReplicas).toBeUndefined();
  await settle(10_000);
  expect(status(api)).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
  await stop();
});

test('a replica set that is being deleted creates nothing', async () => {
  const { api, stop } = await startControllers([replicaSetController], (fake) =>
    fake.seed(REPLICA_SETS, { ...rs(3), metadata: { ...rs(3).metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] } }));
  expect(api.all(PODS)).toEqual([]);
  await stop();
});

test('a replication controller works by its own selector and has no terminating count', async () => {
  const { api, settle, stop } = await startControllers([replicationControllerController, replicaSetController]);
  api.seed(REPLICATION_CONTROLLERS, { metadata: { namespace: 'ns', name: 'web' }, spec: { replicas: 2, selector: labels, template: { metadata: { labels }, spec: { containers: [] } } } });
  await settle();
  const owner = api.find(REPLICATION_CONTROLLERS, 'ns', 'web')!;
  expect(owner.status).toEqual({ replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 });
  expect(api.all(PODS)[0]!.metadata!.ownerReferences).toEqual([ownerReferenceTo(owner)]);
  await stop();
});
