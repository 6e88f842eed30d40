import { CONFIG_MAPS, PODS, RESOURCE_QUOTAS } from '../../api/resource-refs.js';
import { startControllers } from '../testing/test-context.js';
import { resourceQuotaController } from './descriptor.js';

test('usage is counted anew when objects go away or no longer count', async () => {
  const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] }, status: { phase: 'Running' } });
  const harness = await startControllers([resourceQuotaController], (api) => {
    api.seed(RESOURCE_QUOTAS, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'default' }, spec: { hard: { pods: '5', 'requests.cpu': '1', 'count/configmaps': '3' } } });
    api.seed(PODS, pod('a'));
    api.seed(PODS, pod('b'));
    api.seed(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'default' } });
  });
  const used = () => harness.api.find(RESOURCE_QUOTAS, 'default', 'q')?.status?.used;
  expect(used()).toEqual({ pods: '2', 'requests.cpu': '200m', 'count/configmaps': '1' });
  harness.api.edit(PODS, 'default', 'a', () => ({ status: { phase: 'Succeeded' } }));
  await harness.api.resource(CONFIG_MAPS).delete('default', 'm');
  await harness.settle();
  expect(used()).toEqual({ pods: '1', 'requests.cpu': '100m', 'count/configmaps': '0' });
  await harness.stop();
});

test('a pod that gets a deadline moves to the other scope', async () => {
  const quota = (name: string, scope: string) => ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name, namespace: 'default' }, spec: { hard: { pods: '5' }, scopes: [scope] } });
  const harness = await startControllers([resourceQuotaController], (api) => {
    api.seed(RESOURCE_QUOTAS, quota('bounded', 'Terminating'));
    api.seed(RESOURCE_QUOTAS, quota('free', 'NotTerminating'));
    api.seed(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default' }, spec: { containers: [{ name: 'c' }] }, status: { phase: 'Running' } });
  });
  const used = () => ['bounded', 'free'].map((name) => harness.api.find(RESOURCE_QUOTAS, 'default', name)?.status?.used?.['pods']);
  expect(used()).toEqual(['0', '1']);
  harness.api.edit(PODS, 'default', 'a', () => ({ spec: { activeDeadlineSeconds: 60, containers: [{ name: 'c' }] } }));
  await harness.settle();
  expect(used()).toEqual(['1', '0']);
  await harness.stop();
});
