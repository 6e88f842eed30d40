import { API_SERVICES, CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ENDPOINT_SLICES, ENDPOINTS, FLOW_SCHEMAS, NAMESPACES, PRIORITY_CLASSES, PRIORITY_LEVEL_CONFIGURATIONS, ROLE_BINDINGS, ROLES, SERVICES } from '../../api/resource-refs.js';
import { testContext, type TestContext } from '../testing/context.js';
import { postStartHooks } from './hooks.js';
import { AUTOUPDATE } from './rbac/objects.js';

async function start(context: TestContext): Promise<AbortController> {
  const controller = new AbortController();
  for (const hook of postStartHooks()) await hook.run(context, controller.signal);
  return controller;
}

test('a first start makes what upstream has; a second one writes nothing', async () => {
  const context = testContext();
  (await start(context)).abort();
  const count = (ref: Parameters<typeof context.view.list>[0]): number => context.view.list(ref).length;
  expect([NAMESPACES, PRIORITY_CLASSES, FLOW_SCHEMAS, API_SERVICES].map(count)).toEqual([4, 2, 11, 21]);
  expect([CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS, ROLES, ROLE_BINDINGS].map(count)).toEqual([70, 51, 7, 7]);
  const kubernetes = context.view.get(SERVICES, 'default', 'kubernetes')!;
  expect(kubernetes.spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] });
  expect(context.view.get(ENDPOINTS, 'default', 'kubernetes')!.subsets).toEqual([{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }]);
  expect(context.view.get(ENDPOINT_SLICES, 'default', 'kubernetes')!.endpoints).toEqual([{ addresses: ['192.0.2.1'], conditions: { ready: true } }]);
  context.loopback.log.length = 0;
  (await start(context)).abort();
  expect(context.loopback.log).toEqual([]);
});

test('default roles get back what was taken from them, unless their annotation is gone', async () => {
  const context = testContext();
  (await start(context)).abort();
  const discovery = context.view.get(CLUSTER_ROLES, '', 'system:discovery')!;
  const extra = { verbs: ['get'], apiGroups: ['x'], resources: ['y'] };
  context.view.put(CLUSTER_ROLES, { ...discovery, rules: [extra] });
  const basic = context.view.get(CLUSTER_ROLES, '', 'system:basic-user')!;
  context.view.put(CLUSTER_ROLES, { ...basic, metadata: { ...basic.metadata, annotations: { [AUTOUPDATE]: 'false' } }, rules: [] });
  const binding = context.view.get(CLUSTER_ROLE_BINDINGS, '', 'cluster-admin')!;
  context.view.put(CLUSTER_ROLE_BINDINGS, { ...binding, subjects: [{ kind: 'User', name: 'jane' }] });
  (await start(context)).abort();
  expect(context.view.get(CLUSTER_ROLES, '', 'system:discovery')!.rules).toEqual([extra, ...discovery.rules!]);
  expect(context.view.get(CLUSTER_ROLES, '', 'system:basic-user')!.rules).toEqual([]);
  expect(context.view.get(CLUSTER_ROLE_BINDINGS, '', 'cluster-admin')!.subjects).toHaveLength(2);
});

test('aggregating roles follow their sources while the server runs', async () => {
  const context = testContext();
  const running = await start(context);
  const rules = [{ verbs: ['get'], apiGroups: ['stable.example.com'], resources: ['crontabs'] }];
  context.view.put(CLUSTER_ROLES, { metadata: { name: 'crontab-view', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } }, rules });
  await context.clock.advance(0);
  // view, and through it edit and admin
  for (const name of ['view', 'edit', 'admin']) expect(context.view.get(CLUSTER_ROLES, '', name)!.rules).toContainEqual(rules[0]);
  context.view.remove(CLUSTER_ROLES, '', 'crontab-view');
  await context.clock.advance(0);
  for (const name of ['view', 'edit', 'admin']) expect(context.view.get(CLUSTER_ROLES, '', name)!.rules).not.toContainEqual(rules[0]);
  running.abort();
});

test('flow schemas say whether their priority level exists', async () => {
  const context = testContext();
  const running = await start(context);
  const dangling = (): unknown => context.view.get(FLOW_SCHEMAS, '', 'mine')!.status?.conditions?.map(({ type, status, reason }) => [type, status, reason]);
  context.view.put(FLOW_SCHEMAS, { metadata: { name: 'mine' }, spec: { priorityLevelConfiguration: { name: 'own' } } });
  await context.clock.advance(1000);
  expect(dangling()).toEqual([['Dangling', 'True', 'NotFound']]);
  context.view.put(PRIORITY_LEVEL_CONFIGURATIONS, { metadata: { name: 'own' } });
  await context.clock.advance(1000);
  expect(dangling()).toEqual([['Dangling', 'False', 'Found']]);
  running.abort();
});

test('no endpoints at an address that pods cannot reach', async () => {
  const context = testContext({ advertiseAddress: '127.0.0.1' });
  (await start(context)).abort();
  expect(context.view.list(ENDPOINTS)).toEqual([]);
});

test('servers that share a store keep their addresses in the service, and only as long as they are there', async () => {
  const first = testContext({ advertiseAddress: '192.0.2.9' });
  Object.assign(first.store, { capabilities: { ...first.store.capabilities, shared: true } });
  const second: TestContext = { ...first, options: { ...first.options, advertiseAddress: '192.0.2.1' } };
  const [one, two] = [await start(first), await start(second)];
  const ips = (): unknown => [first.view.get(ENDPOINTS, 'default', 'kubernetes')!.subsets![0]!.addresses!.map(({ ip }) => ip), first.view.get(ENDPOINT_SLICES, 'default', 'kubernetes')!.endpoints!.map(({ addresses }) => addresses[0])];
  expect(ips()).toEqual([['192.0.2.1', '192.0.2.9'], ['192.0.2.1', '192.0.2.9']]);
  two.abort();
  await first.clock.advance(11_000);
  expect(ips()).toEqual([['192.0.2.9'], ['192.0.2.9']]);
  one.abort();
  await first.clock.advance(0);
  expect((await first.store.range({ start: '/masterleases/', end: '/masterleases0' })).kvs).toEqual([]);
});
