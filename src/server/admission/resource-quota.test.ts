import type { V1Pod, V1PodSpec, V1ResourceQuota } from '../../api/generated/types.js';
import { quotaEvaluator, quotaUsage } from '../../api/helpers/quota.js';
import { CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS, PODS, RESOURCE_QUOTAS, SERVICES } from '../../api/resource-refs.js';
import { attributesFor } from '../testing/attributes.js';
import { testContext } from '../testing/context.js';
import type { AdmissionAttributes } from './plugin.js';
import { ResourceQuotaAdmission } from './resource-quota.js';

const quota = (hard: Record<string, string>, used: Record<string, string> | undefined, spec: V1ResourceQuota['spec'] = {}): V1ResourceQuota => ({
  metadata: { namespace: 'ns', name: 'q' }, spec: { hard, ...spec }, status: { hard, ...(used ? { used } : {}) },
});
const pod = (name: string, spec: Partial<V1PodSpec> = {}): V1Pod => ({ metadata: { namespace: 'ns', name }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
const sized = (name: string, cpu: string): V1Pod => pod(name, { containers: [{ name: 'c', resources: { requests: { cpu }, limits: { cpu } } }] });

function setup(initial: V1ResourceQuota) {
  const context = testContext();
  context.view.put(RESOURCE_QUOTAS, initial);
  const plugin = new ResourceQuotaAdmission(context);
  const run = async (a: AdmissionAttributes): Promise<string> => {
    try {
      await plugin.validate(a);
      return 'ok';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const used = () => context.view.get(RESOURCE_QUOTAS, 'ns', 'q')!.status!.used;
  return { context, run, used };
}

test('pods fill a quota up to its limit, and are counted before they are let in', async () => {
  const { run, used, context } = setup(quota({ pods: '2', 'requests.cpu': '1' }, { pods: '0', 'requests.cpu': '0' }));
  expect(await run(attributesFor(PODS, sized('a', '500m')))).toBe('ok');
  expect(used()).toEqual({ pods: '1', 'requests.cpu': '500m' });
  expect(await run(attributesFor(PODS, sized('b', '600m')))).toBe('pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=500m, limited: requests.cpu=1');
  expect(await run(attributesFor(PODS, pod('c')))).toBe('pods "c" is forbidden: failed quota: q: must specify requests.cpu for: c');
  expect(await run(attributesFor(PODS, sized('d', '100m'), { dryRun: true }))).toBe('ok');
  expect(used()).toEqual({ pods: '1', 'requests.cpu': '500m' });
  expect(await run(attributesFor(PODS, sized('e', '100m')))).toBe('ok');
  expect(await run(attributesFor(PODS, sized('f', '100m')))).toBe('pods "f" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2');
  context.view.put(RESOURCE_QUOTAS, quota({ pods: '2' }, undefined));
  expect(await run(attributesFor(PODS, pod('g')))).toBe('pods "g" is forbidden: status unknown for quota: q, resources: pods');
});

test('requests that come together cannot exceed it together, and cost few writes', async () => {
  const { run, used, context } = setup(quota({ pods: '5' }, { pods: '0' }));
  const results = await Promise.all(Array.from({ length: 20 }, (_, i) => run(attributesFor(PODS, pod(`p${i}`)))));
  expect(results.filter((result) => result === 'ok')).toHaveLength(5);
  expect(used()).toEqual({ pods: '5' });
  expect(context.loopback.log.length).toBeLessThanOrEqual(2);
});

test('a write that loses is tried again on what is there then', async () => {
  const { run, used, context } = setup({ ...quota({ pods: '3' }, { pods: '0' }), metadata: { namespace: 'ns', name: 'q', resourceVersion: '1' } });
  const original = context.loopback.resource.bind(context.loopback);
  let disturbed = false;
  context.loopback.resource = ((ref: typeof RESOURCE_QUOTAS) => {
    if (!disturbed) {
      disturbed = true;
      context.view.put(RESOURCE_QUOTAS, { ...quota({ pods: '3' }, { pods: '2' }), metadata: { namespace: 'ns', name: 'q', resourceVersion: '2' } });
    }
    return original(ref);
  }) as typeof context.loopback.resource;
  expect(await run(attributesFor(PODS, pod('a')))).toBe('ok');
  expect(used()).toEqual({ pods: '3' });
});

test('updates pay the difference; scopes; other kinds', async () => {
  const { run, used, context } = setup(quota({ 'services.nodeports': '2', 'count/configmaps': '1', 'requests.storage': '10Gi', 'fast.storageclass.storage.k8s.io/requests.storage': '5Gi' },
    { 'services.nodeports': '1', 'count/configmaps': '0', 'requests.storage': '1Gi', 'fast.storageclass.storage.k8s.io/requests.storage': '0' }));
  const service = (type: string, ports: number) => ({ metadata: { namespace: 'ns', name: 's', resourceVersion: '1' }, spec: { type, ports: Array.from({ length: ports }, (_, i) => ({ port: i + 1 })) } });
  expect(await run(attributesFor(SERVICES, service('NodePort', 2), { operation: 'UPDATE', oldObject: service('NodePort', 1) }))).toBe('ok');
  expect(await run(attributesFor(SERVICES, service('NodePort', 3), { operation: 'UPDATE', oldObject: service('NodePort', 2) }))).toContain('requested: services.nodeports=1, used: services.nodeports=2, limited: services.nodeports=2');
  const map = { metadata: { namespace: 'ns', name: 'm' } };
  expect(await run(attributesFor(CONFIG_MAPS, map))).toBe('ok');
  expect(await run(attributesFor(CONFIG_MAPS, map))).toContain('exceeded quota');
  const claim = (storage: string) => ({ metadata: { namespace: 'ns', name: 'c' }, spec: { storageClassName: 'fast', resources: { requests: { storage } } } });
  expect(await run(attributesFor(PERSISTENT_VOLUME_CLAIMS, claim('6Gi')))).toContain('requested: fast.storageclass.storage.k8s.io/requests.storage=6Gi');
  expect(await run(attributesFor(PERSISTENT_VOLUME_CLAIMS, claim('5Gi')))).toBe('ok');
  expect(used()).toMatchObject({ 'requests.storage': '6Gi', 'fast.storageclass.storage.k8s.io/requests.storage': '5Gi' });
  context.view.put(RESOURCE_QUOTAS, quota({ pods: '0' }, { pods: '0' }, { scopes: ['BestEffort', 'Terminating'] }));
  expect(await run(attributesFor(PODS, pod('a')))).toBe('ok');
  expect(await run(attributesFor(PODS, pod('a', { activeDeadlineSeconds: 5 })))).toContain('exceeded quota');
});

test('what is used of a quota, for the controller', () => {
  const now = Date.UTC(2026, 0, 1);
  const done = { ...sized('done', '1'), status: { phase: 'Succeeded' } };
  const objects: Record<string, readonly V1Pod[]> = { pods: [sized('a', '250m'), done, pod('b')] };
  const used = quotaUsage(quota({ pods: '9', 'count/pods': '9', 'limits.cpu': '9', secrets: '1' }, {}), [{ group: '', resource: 'pods' }, { group: '', resource: 'secrets' }], ({ resource }) => objects[resource] ?? [], now);
  expect(Object.fromEntries([...used].map(([name, amount]) => [name, amount.toString()]))).toEqual({ pods: '2', 'count/pods': '3', 'limits.cpu': '250m', secrets: '0' });
  expect(quotaEvaluator({ group: 'events.k8s.io', resource: 'events' })).toBeUndefined();
});

test('what the configuration limits is used only where a quota covers it', async () => {
  const scope = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] };
  const limitedResources = [{ apiGroup: '', resource: 'pods', matchContains: ['requests.example.com/'], matchScopes: [scope] }];
  const context = testContext({ admissionConfiguration: { limitedResources } });
  const plugin = new ResourceQuotaAdmission(context);
  const run = (object: V1Pod): Promise<string> => Promise.resolve(plugin.validate(attributesFor(PODS, object))).then(() => 'ok', (error: unknown) => (error as Error).message);
  const gpu = pod('g', { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '1' } } }] });
  const high = pod('h', { priorityClassName: 'high' });
  expect(await run(pod('p'))).toBe('ok');
  expect(await run(gpu)).toBe('pods "g" is forbidden: insufficient quota to consume: requests.example.com/gpu');
  expect(await run(high)).toBe('insufficient quota to match these scopes: [{PriorityClass In [high]}]');
  const hard = { 'requests.example.com/gpu': '1' };
  context.view.put(RESOURCE_QUOTAS, quota(hard, { 'requests.example.com/gpu': '0' }));
  expect(await run(gpu)).toBe('ok');
  context.view.put(RESOURCE_QUOTAS, quota({ pods: '1' }, { pods: '0' }, { scopeSelector: { matchExpressions: [scope] } }));
  expect(await run(high)).toBe('ok');
});

test('a request that waits too long for its turn is given up', async () => {
  const { context, run } = setup(quota({ configmaps: '9' }, { configmaps: '0' }));
  context.loopback.resource = (() => ({ updateStatus: () => new Promise(() => undefined) })) as unknown as typeof context.loopback.resource;
  const waiting = run(attributesFor(CONFIG_MAPS, { metadata: { namespace: 'ns', name: 'c' } }));
  await context.clock.advance(10_000);
  expect(await waiting).toBe('Internal error occurred: resource quota evaluation timed out');
  expect(context.clock.pending).toBe(0);
});
