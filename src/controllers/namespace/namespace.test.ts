import type { V1Namespace } from '../../api/generated/types.js';
import { CONFIG_MAPS, NAMESPACES, PODS, SECRETS } from '../../api/resource-refs.js';
import type { FakeApi } from '../testing/fake-api.js';
import { startControllers } from '../testing/test-context.js';
import { namespaceController } from './descriptor.js';

const seed = (api: FakeApi): void => {
  api.seed(NAMESPACES, { metadata: { name: 'gone' }, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
  api.seed(NAMESPACES, { metadata: { name: 'stays' }, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
  for (const namespace of ['gone', 'stays']) {
    api.seed(PODS, { metadata: { namespace, name: 'p' }, spec: { containers: [], terminationGracePeriodSeconds: 30 } });
    api.seed(CONFIG_MAPS, { metadata: { namespace, name: 'c' } });
  }
};
const conditions = (namespace: V1Namespace | undefined) => Object.fromEntries((namespace?.status?.conditions ?? []).map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]));

test('pods go first, then everything else, then the namespace', async () => {
  const { api, settle, stop } = await startControllers([namespaceController], seed, { gracefulPods: true });
  await api.resource(NAMESPACES).delete('', 'gone');
  await settle(5000);
  expect(api.find(NAMESPACES, '', 'gone')?.status?.phase).toBe('Terminating');
  expect(api.find(PODS, 'gone', 'p')?.metadata?.deletionTimestamp).toBeDefined();
  expect(api.find(CONFIG_MAPS, 'gone', 'c')).toBeDefined();
  api.finishPod('gone', 'p');
  await settle();
  expect(api.find(CONFIG_MAPS, 'gone', 'c')).toBeUndefined();
  expect(api.find(NAMESPACES, '', 'gone')).toBeUndefined();
  expect(api.find(CONFIG_MAPS, 'stays', 'c')).toBeDefined();
  expect(api.find(PODS, 'stays', 'p')).toBeDefined();
  await stop();
});

test('finalizers of the content are waited for and reported', async () => {
  const { api, settle, stop } = await startControllers([namespaceController], (fake) => {
    fake.seed(NAMESPACES, { metadata: { name: 'gone' }, spec: { finalizers: ['kubernetes'] } });
    fake.seed(SECRETS, { metadata: { namespace: 'gone', name: 's', finalizers: ['example.com/hold'] } });
  });
  await api.resource(NAMESPACES).delete('', 'gone');
  await settle();
  expect(conditions(api.find(NAMESPACES, '', 'gone'))).toEqual({
    NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
    NamespaceDeletionGroupVersionParsingFailure: 'False ParsedGroupVersions: All legacy kube types successfully parsed',
    NamespaceDeletionContentFailure: 'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
    NamespaceContentRemaining: 'True SomeResourcesRemain: Some resources are remaining: secrets. has 1 resource instances',
    NamespaceFinalizersRemaining: 'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
  });
  api.edit(SECRETS, 'gone', 's', () => ({ metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/hold'] } }));
  await settle(20_000);
  expect(api.find(NAMESPACES, '', 'gone')).toBeUndefined();
  await stop();
});

test('a group that cannot be discovered blocks the end and is named', async () => {
  let broken = true;
  const { api, settle, stop } = await startControllers([namespaceController], (fake) => {
    fake.addResource({ group: 'metrics.example.com', version: 'v1', resource: 'things', singular: 'thing', kind: 'Thing', namespaced: true, verbs: ['delete', 'list', 'deletecollection'] });
    fake.react = (action) => {
      if (broken && action.resource === '/apis/metrics.example.com/v1') throw new Error('service unavailable');
      return undefined;
    };
    seed(fake);
  });
  await api.resource(NAMESPACES).delete('', 'gone');
  await settle(100);
  expect(api.find(CONFIG_MAPS, 'gone', 'c')).toBeUndefined();
  expect(conditions(api.find(NAMESPACES, '', 'gone'))['NamespaceDeletionDiscoveryFailure']).toBe(
    'True DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.example.com/v1: service unavailable');
  broken = false;
  await settle(60_000);
  expect(api.find(NAMESPACES, '', 'gone')).toBeUndefined();
  await stop();
});

test('other finalizers of the namespace stay', async () => {
  const { api, settle, stop } = await startControllers([namespaceController], (fake) => fake.seed(NAMESPACES, { metadata: { name: 'gone' }, spec: { finalizers: ['kubernetes', 'example.com/x'] } }));
  await api.resource(NAMESPACES).delete('', 'gone');
  await settle();
  expect(api.find(NAMESPACES, '', 'gone')?.spec?.finalizers).toEqual(['example.com/x']);
  await stop();
});

test('a kind whose objects cannot be read, as while its conversion webhook is down, keeps nothing else from going', async () => {
  const webhook = 'conversion webhook for example.com/v1, Kind=Thing failed: connection refused';
  let broken = true;
  const { api, settle, stop } = await startControllers([namespaceController], (fake) => {
    fake.addResource({ group: 'example.com', version: 'v1', resource: 'things', singular: 'thing', kind: 'Thing', namespaced: true, verbs: ['delete', 'list', 'deletecollection'] });
    fake.react = ({ verb, resource }) => {
      if (broken && verb === 'list' && resource === 'things') throw new Error(webhook);
      return undefined;
    };
    seed(fake);
  });
  await api.resource(NAMESPACES).delete('', 'gone');
  await settle(100);
  expect([api.find(PODS, 'gone', 'p'), api.find(CONFIG_MAPS, 'gone', 'c')]).toEqual([undefined, undefined]);
  expect(conditions(api.find(NAMESPACES, '', 'gone'))['NamespaceDeletionContentFailure']).toBe(`True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: ${webhook}`);
  broken = false;
  await settle(60_000);
  expect(api.find(NAMESPACES, '', 'gone')).toBeUndefined();
  await stop();
});

test('a namespace goes although its conditions cannot be written', async () => {
  const { api, settle, stop } = await startControllers([namespaceController], (fake) => {
    fake.seed(NAMESPACES, { metadata: { name: 'gone' }, spec: { finalizers: ['kubernetes', 'example.com/x'] }, status: { phase: 'Terminating' } });
    fake.react = ({ resource, subresource }) => {
      if (resource === 'namespaces' && subresource === 'status') throw new Error('a webhook refuses it');
      return undefined;
    };
  });
  await api.resource(NAMESPACES).delete('', 'gone');
  await settle();
  expect(api.find(NAMESPACES, '', 'gone')?.spec?.finalizers).toEqual(['example.com/x']);
  await stop();
});
