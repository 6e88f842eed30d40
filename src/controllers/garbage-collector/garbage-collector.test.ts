import type { V1OwnerReference } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { CLUSTER_ROLES, CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS, PODS, REPLICA_SETS, SECRETS, type ResourceRef } from '../../api/resource-refs.js';
import { FakeApi } from '../testing/fake-api.js';
import { ownerReferenceTo } from '../testing/memory-collection.js';
import { startControllers, testContext } from '../testing/test-context.js';
import { garbageCollector } from './descriptor.js';

const meta = (name: string, owners: readonly V1OwnerReference[] = [], namespace = 'ns') => ({ metadata: { namespace, name, uid: `uid-${name}`, ...(owners.length > 0 ? { ownerReferences: owners } : {}) } });
const owner = (name: string, kind = 'ConfigMap', extra: Partial<V1OwnerReference> = {}): V1OwnerReference => ({ apiVersion: 'v1', kind, name, uid: `uid-${name}`, ...extra });

/** Deployment, replica set and pod in a chain. */
function chain(api: FakeApi): void {
  const deployment = api.seed(DEPLOYMENTS, { ...meta('d'), spec: { selector: {}, template: {} } });
  const replicaSet = api.seed(REPLICA_SETS, { ...meta('r', [ownerReferenceTo(deployment)]), spec: { selector: {} } });
  api.seed(PODS, { ...meta('p', [ownerReferenceTo(replicaSet)]), spec: { containers: [] } });
}
const names = (api: FakeApi, ...refs: ResourceRef[]): string[] => refs.flatMap((ref) => api.all<KubeObject>(ref).map((object) => object.metadata?.name ?? ''));

test('background: the owner goes at once, dependents follow down the chain', async () => {
  const { api, settle, stop } = await startControllers([garbageCollector], chain);
  await settle();
  expect(names(api, DEPLOYMENTS, REPLICA_SETS, PODS)).toEqual(['d', 'r', 'p']);
  await api.resource(DEPLOYMENTS).delete('ns', 'd', { propagationPolicy: 'Background' });
  await settle(1000);
  expect(names(api, DEPLOYMENTS, REPLICA_SETS, PODS)).toEqual([]);
  await stop();
});

test('foreground: the owner waits until blocking dependents have gone', async () => {
  const { api, settle, stop } = await startControllers([garbageCollector], (fake) => {
    chain(fake);
    fake.edit(PODS, 'ns', 'p', () => ({ metadata: { finalizers: ['example.com/hold'] } }));
  });
  await api.resource(DEPLOYMENTS).delete('ns', 'd', { propagationPolicy: 'Foreground' });
  await settle(1000);
  expect(names(api, DEPLOYMENTS, REPLICA_SETS, PODS)).toEqual(['d', 'r', 'p']);
  expect(api.find(REPLICA_SETS, 'ns', 'r')?.metadata?.finalizers).toEqual(['foregroundDeletion']);
  expect(api.find(PODS, 'ns', 'p')?.metadata?.deletionTimestamp).toBeDefined();
  api.edit(PODS, 'ns', 'p', () => ({ metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/hold'] } }));
  await settle(1000);
  expect(names(api, DEPLOYMENTS, REPLICA_SETS, PODS)).toEqual([]);
  await stop();
});

test('foreground: a dependent that does not block is deleted but not waited for', async () => {
  const { api, settle, stop } = await startControllers([garbageCollector], (fake) => {
    fake.seed(CONFIG_MAPS, meta('o'));
    fake.seed(SECRETS, { metadata: { ...meta('dep', [owner('o')]).metadata, finalizers: ['example.com/hold'] } });
  });
  await api.resource(CONFIG_MAPS).delete('ns', 'o', { propagationPolicy: 'Foreground' });
  await settle(1000);
  expect(names(api, CONFIG_MAPS)).toEqual([]);
  expect(api.find(SECRETS, 'ns', 'dep')?.metadata?.deletionTimestamp).toBeDefined();
  await stop();
});

test('orphan: dependents lose the reference and stay', async () => {
  const { api, settle, stop } = await startControllers([garbageCollector], chain);
  await api.resource(DEPLOYMENTS).delete('ns', 'd', { propagationPolicy: 'Orphan' });
  await settle(1000);
  expect(names(api, DEPLOYMENTS, REPLICA_SETS, PODS)).toEqual(['r', 'p']);
  expect(api.find(REPLICA_SETS, 'ns', 'r')?.metadata?.ownerReferences).toBeUndefined();
  expect(api.find(PODS, 'ns', 'p')?.metadata?.ownerReferences).toHaveLength(1);
  await stop();
});

test('owners that never existed, have another UID, or live elsewhere do not count', async () => {
  const { api, events, settle, stop } = await startControllers([garbageCollector], (fake) => {
    fake.seed(CONFIG_MAPS, meta('o'));
    fake.seed(CONFIG_MAPS, meta('far', [], 'other'));
    fake.seed(CLUSTER_ROLES, { metadata: { name: 'cluster', uid: 'uid-cluster' } });
    fake.seed(SECRETS, meta('never', [owner('nothing')]));
    fake.seed(SECRETS, meta('mismatch', [{ ...owner('o'), uid: 'former' }]));
    fake.seed(SECRETS, meta('misnamed', [{ ...owner('o'), name: 'x' }]));
    fake.seed(SECRETS, meta('abroad', [owner('far')]));
    fake.seed(SECRETS, meta('solid', [owner('o')]));
    fake.seed(SECRETS, meta('of-cluster', [owner('cluster', 'ClusterRole', { apiVersion: 'rbac.authorization.k8s.io/v1' })]));
    fake.seed(SECRETS, meta('two', [owner('o'), owner('nothing')]));
    // A cluster-scoped object cannot have a namespaced owner: left alone.
    fake.seed(CLUSTER_ROLES, { metadata: { name: 'odd', uid: 'uid-odd', ownerReferences: [owner('o')] } });
    fake.seed(SECRETS, meta('unknown-kind', [owner('thing', 'Thing', { apiVersion: 'example.com/v1' })]));
  });
  await settle(2000);
  expect(names(api, SECRETS)).toEqual(['of-cluster', 'solid', 'two', 'unknown-kind']);
  expect(api.find(SECRETS, 'ns', 'two')?.metadata?.ownerReferences).toEqual([owner('o')]);
  expect(names(api, CLUSTER_ROLES)).toEqual(['cluster', 'odd']);
  expect(events).toContain('Warning OwnerRefInvalidNamespace ownerRef [v1/ConfigMap, namespace: ns, name: far, uid: uid-far] does not exist in namespace "ns"');
  await stop();
});

test('an object keeps living while one of its owners does', async () => {
  const { api, settle, stop } = await startControllers([garbageCollector], (fake) => {
    fake.seed(CONFIG_MAPS, meta('a'));
    fake.seed(CONFIG_MAPS, meta('b'));
    fake.seed(SECRETS, meta('s', [owner('a'), owner('b', 'ConfigMap', { blockOwnerDeletion: true })]));
  });
  await api.resource(CONFIG_MAPS).delete('ns', 'b', { propagationPolicy: 'Foreground' });
  await settle(1000);
  expect(names(api, CONFIG_MAPS)).toEqual(['a']);
  expect(api.find(SECRETS, 'ns', 's')?.metadata?.ownerReferences).toEqual([owner('a')]);
  await api.resource(CONFIG_MAPS).delete('ns', 'a');
  await settle(1000);
  expect(names(api, SECRETS)).toEqual([]);
  await stop();
});

test('a circle of owners deleted in the foreground comes to an end', async () => {
  const { api, settle, stop } = await startControllers([garbageCollector], (fake) => {
    fake.seed(CONFIG_MAPS, meta('a', [owner('b', 'ConfigMap', { blockOwnerDeletion: true })]));
    fake.seed(CONFIG_MAPS, meta('b', [owner('a', 'ConfigMap', { blockOwnerDeletion: true })]));
  });
  await api.resource(CONFIG_MAPS).delete('ns', 'a', { propagationPolicy: 'Foreground' });
  await settle(5000);
  expect(names(api, CONFIG_MAPS)).toEqual([]);
  await stop();
});

test('custom resources are collected as soon as they are served', async () => {
  const things: ResourceRef = { group: 'example.com', version: 'v1', resource: 'things', kind: 'Thing', namespaced: true };
  const { api, settle, stop } = await startControllers([garbageCollector], (fake) => {
    fake.seed(CONFIG_MAPS, meta('o'));
  });
  api.addResource({ ...things, singular: 'thing', verbs: ['create', 'delete', 'get', 'list', 'watch', 'patch'] });
  api.seed(CUSTOM_RESOURCE_DEFINITIONS, { metadata: { name: 'things.example.com' }, spec: { group: 'example.com', names: { kind: 'Thing', plural: 'things' }, scope: 'Namespaced', versions: [] } });
  api.seed(things, meta('t', [owner('o')]));
  api.seed(SECRETS, meta('s', [owner('t', 'Thing', { apiVersion: 'example.com/v1' })]));
  await settle(2000);
  await settle(2000);
  expect(names(api, things, SECRETS)).toEqual(['t', 's']);
  await api.resource(CONFIG_MAPS).delete('ns', 'o');
  await settle(3000);
  expect(names(api, things, SECRETS)).toEqual([]);
  await stop();
});

test('stopping leaves no watch behind', async () => {
  const { api, stop } = await startControllers([garbageCollector], chain);
  await stop();
  expect(api.clock.pending).toBe(0);
});

test('a stop during the first resync does not wait for the time of the next one', async () => {
  const api = new FakeApi();
  const controller = await garbageCollector.start(testContext(api));
  let stopped = false;
  void controller.stop().then(() => (stopped = true));
  for (let turn = 0; turn < 20; turn++) await api.clock.advance(0);
  expect(stopped).toBe(true);
});
