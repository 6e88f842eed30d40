import type { V1Pod, V1PodDisruptionBudget } from '../../api/generated/types.js';
import { POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS } from '../../api/resource-refs.js';
import { startControllers } from '../testing/test-context.js';
import { budgetNumbers, expectedNumbers } from './budget.js';
import { disruptionController } from './descriptor.js';

const pod = (name: string, ready = 'True'): V1Pod => ({
  apiVersion: 'v1', kind: 'Pod',
  metadata: { name, namespace: 'default', labels: { app: 'x' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'rs-uid', controller: true }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
});
const budget = (spec: V1PodDisruptionBudget['spec']): V1PodDisruptionBudget => ({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b', namespace: 'default' }, spec: { selector: { matchLabels: { app: 'x' } }, ...spec } });

test('numbers follow the form of the budget', () => {
  const pods = [pod('a'), pod('b'), pod('c', 'False')];
  const scales = [{ uid: 'u', replicas: 10 }];
  expect(expectedNumbers(budget({ minAvailable: 2 }), pods, scales)).toEqual({ expectedPods: 3, desiredHealthy: 2 });
  expect(expectedNumbers(budget({ minAvailable: '25%' }), pods, scales)).toEqual({ expectedPods: 10, desiredHealthy: 3 });
  expect(expectedNumbers(budget({ maxUnavailable: '25%' }), pods, scales)).toEqual({ expectedPods: 10, desiredHealthy: 7 });
  expect(budgetNumbers(budget({ minAvailable: 1 }), pods, [], 0)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
});

test('an allowed eviction counts until its pod is seen to go, or two minutes', () => {
  const at = Date.UTC(2026, 0, 1);
  const object = { ...budget({ minAvailable: 1 }), status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, disruptedPods: { a: new Date(at).toISOString() } } };
  expect(budgetNumbers(object, [pod('a'), pod('b')], [], at + 1000)).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0, recheckAt: at + 120_000 });
  expect(budgetNumbers(object, [pod('a'), pod('b')], [], at + 120_000)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1, recheckAt: undefined });
});

test('the status is kept up to date with pods and scale', async () => {
  const harness = await startControllers([disruptionController], (api) => {
    api.seed(REPLICA_SETS, { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'rs', namespace: 'default' }, spec: { replicas: 2, selector: {} } });
    api.seed(PODS, pod('a'));
    api.seed(PODS, pod('b'));
    api.seed(POD_DISRUPTION_BUDGETS, budget({ maxUnavailable: 1 }));
  });
  const status = () => harness.api.find(POD_DISRUPTION_BUDGETS, 'default', 'b')?.status;
  expect(status()).toMatchObject({ currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 1, conditions: [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' }] });
  harness.api.edit(PODS, 'default', 'b', () => ({ status: { conditions: [{ type: 'Ready', status: 'False' }] } }));
  await harness.settle();
  expect(status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0, conditions: [{ status: 'False', reason: 'InsufficientPods' }] });
  await harness.stop();
});

test('pods that nothing controls are told of and count as healthy', async () => {
  const harness = await startControllers([disruptionController], (api) => {
    api.seed(PODS, { ...pod('a'), metadata: { name: 'a', namespace: 'default', labels: { app: 'x' } } });
    api.seed(POD_DISRUPTION_BUDGETS, budget({ maxUnavailable: 1 }));
  });
  expect(harness.api.find(POD_DISRUPTION_BUDGETS, 'default', 'b')?.status).toMatchObject({ currentHealthy: 1, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0, conditions: [{ reason: 'InsufficientPods', message: '' }] });
  expect(harness.events).toContainEqual(expect.stringContaining('Warning UnmanagedPods Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: x,},MatchExpressions:[]LabelSelectorRequirement{},})'));
  await harness.stop();
});
