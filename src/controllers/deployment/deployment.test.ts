import type { V1Deployment, V1ReplicaSet } from '../../api/generated/types.js';
import { isPodReady } from '../../api/helpers/pod-state.js';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../api/resource-refs.js';
import { forbiddenError } from '../../api/status-error.js';
import { replicaSetController } from '../replicaset/descriptor.js';
import { makeReady, runToEnd } from '../testing/pod-runner.js';
import { startControllers, type ControllerHarness } from '../testing/test-context.js';
import { deploymentController } from './descriptor.js';

const labels = { app: 'web' };
const deployment = (spec: Partial<V1Deployment['spec']> = {}): V1Deployment => ({
  metadata: { namespace: 'ns', name: 'web', annotations: { note: 'kept', 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
  spec: {
    replicas: 4,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'v1' }] } },
    ...spec,
  },
});
const start = (spec: Partial<V1Deployment['spec']> = {}): Promise<ControllerHarness> =>
  startControllers([deploymentController, replicaSetController], (api) => api.seed(DEPLOYMENTS, deployment(spec)));
const get = ({ api }: ControllerHarness): V1Deployment => api.find(DEPLOYMENTS, 'ns', 'web')!;
const edit = ({ api }: ControllerHarness, spec: object): V1Deployment => api.edit(DEPLOYMENTS, 'ns', 'web', () => ({ spec }));
const image = (name: string) => ({ template: { spec: { containers: [{ name: 'c', image: name }] } } });
const setOf = ({ api }: ControllerHarness, name: string): V1ReplicaSet | undefined => api.all(REPLICA_SETS).find((rs) => rs.spec?.template?.spec?.containers[0]?.image === name);
const conditions = (harness: ControllerHarness) => Object.fromEntries((get(harness).status?.conditions ?? []).map((condition) => [condition.type, `${condition.status} ${condition.reason}`]));

test('creates the replica set of its template and reports progress until it is available', async () => {
  const harness = await start();
  const [rs] = harness.api.all(REPLICA_SETS);
  const hash = rs!.metadata!.labels!['pod-template-hash']!;
  expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  expect(rs).toMatchObject({
    metadata: { name: `web-${hash}`, labels: { app: 'web' }, annotations: { note: 'kept', 'deployment.kubernetes.io/revision': '1', 'deployment.kubernetes.io/desired-replicas': '4', 'deployment.kubernetes.io/max-replicas': '5' } },
    spec: { replicas: 4, selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } }, template: { metadata: { labels: { app: 'web', 'pod-template-hash': hash } } } },
  });
  expect(rs!.metadata!.annotations).not.toHaveProperty('kubectl.kubernetes.io/last-applied-configuration');
  expect(harness.events[0]).toBe(`Normal ScalingReplicaSet Scaled up replica set web-${hash} from 0 to 4`);
  expect(get(harness).metadata!.annotations!['deployment.kubernetes.io/revision']).toBe('1');
  expect(conditions(harness)).toEqual({ Available: 'False MinimumReplicasUnavailable', Progressing: 'True ReplicaSetUpdated' });
  await runToEnd(harness);
  expect(get(harness).status).toMatchObject({ observedGeneration: 1, replicas: 4, updatedReplicas: 4, readyReplicas: 4, availableReplicas: 4, terminatingReplicas: 0 });
  expect(get(harness).status).not.toHaveProperty('unavailableReplicas');
  expect(conditions(harness)).toEqual({ Available: 'True MinimumReplicasAvailable', Progressing: 'True NewReplicaSetAvailable' });
  expect(get(harness).status!.conditions!.find((condition) => condition.type === 'Progressing')!.message).toBe(`ReplicaSet "web-${hash}" has successfully progressed.`);
  await harness.stop();
});

test('a rolling update stays within surge and availability', async () => {
  const harness = await start();
  await runToEnd(harness);
  edit(harness, image('v2'));
  let most = 0;
  let fewest = Infinity;
  await runToEnd(harness, () => {
    most = Math.max(most, harness.api.all(PODS).length);
    fewest = Math.min(fewest, harness.api.all(PODS).filter(isPodReady).length);
  });
  expect(most).toBe(5);
  expect(fewest).toBe(3);
  expect(setOf(harness, 'v1')?.spec?.replicas).toBe(0);
  expect(setOf(harness, 'v2')?.spec?.replicas).toBe(4);
  expect(get(harness).metadata!.annotations!['deployment.kubernetes.io/revision']).toBe('2');
  await harness.stop();
});

test('going back to an old template reuses its replica set under a new revision', async () => {
  const harness = await start();
  await runToEnd(harness);
  edit(harness, image('v2'));
  await runToEnd(harness);
  edit(harness, image('v1'));
  await runToEnd(harness);
  expect(harness.api.all(REPLICA_SETS)).toHaveLength(2);
  expect(setOf(harness, 'v1')!.metadata!.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '3', 'deployment.kubernetes.io/revision-history': '1' });
  await harness.stop();
});

test('revisions are counted exactly up to 64 bits', async () => {
  const harness = await start();
  await runToEnd(harness);
  harness.api.edit(REPLICA_SETS, 'ns', setOf(harness, 'v1')!.metadata!.name!, () => ({ metadata: { annotations: { 'deployment.kubernetes.io/revision': '3546343826724305832' } } }));
  edit(harness, image('v2'));
  await runToEnd(harness);
  expect(setOf(harness, 'v2')!.metadata!.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '3546343826724305833' });
  expect(get(harness).metadata!.annotations!['deployment.kubernetes.io/revision']).toBe('3546343826724305833');
  await harness.stop();
});

test('the rollback annotation brings the last revision back and is removed', async () => {
  const harness = await start();
  await runToEnd(harness);
  edit(harness, image('v2'));
  await runToEnd(harness);
  harness.api.edit(DEPLOYMENTS, 'ns', 'web', () => ({ metadata: { annotations: { 'deprecated.deployment.rollback.to': '0' } } }));
  await runToEnd(harness);
  expect(get(harness).spec!.template.spec!.containers[0]!.image).toBe('v1');
  expect(get(harness).spec!.template.metadata!.labels).toEqual(labels);
  expect(get(harness).metadata!.annotations).not.toHaveProperty('deprecated.deployment.rollback.to');
  expect(harness.events).toContain('Normal DeploymentRollback Rolled back deployment "web" to revision 1');
  await harness.stop();
});

test('old replica sets beyond the history limit are deleted', async () => {
  const harness = await start({ revisionHistoryLimit: 1 });
  for (const version of ['v1', 'v2', 'v3', 'v4']) {
    edit(harness, image(version));
    await runToEnd(harness);
  }
  await harness.settle();
  expect(harness.api.all(REPLICA_SETS).map((rs) => rs.spec?.template?.spec?.containers[0]?.image).sort()).toEqual(['v3', 'v4']);
  await harness.stop();
});

test('paused: no rollout, but scaling; resumed: it goes on', async () => {
  const harness = await start();
  await runToEnd(harness);
  edit(harness, { paused: true, ...image('v2') });
  await runToEnd(harness);
  expect(conditions(harness)['Progressing']).toBe('Unknown DeploymentPaused');
  expect(setOf(harness, 'v2')).toBeUndefined();
  edit(harness, { replicas: 6 });
  await runToEnd(harness);
  expect(setOf(harness, 'v1')?.spec?.replicas).toBe(6);
  expect(get(harness).status?.observedGeneration).toBe(3);
  edit(harness, { paused: false });
  await runToEnd(harness);
  expect(setOf(harness, 'v2')?.spec?.replicas).toBe(6);
  expect(conditions(harness)['Progressing']).toBe('True NewReplicaSetAvailable');
  await harness.stop();
});

test('scaling in the middle of a rollout is shared out', async () => {
  const harness = await start({ replicas: 10, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
  await runToEnd(harness);
  edit(harness, image('v2'));
  await harness.settle();
  expect([setOf(harness, 'v1')?.spec?.replicas, setOf(harness, 'v2')?.spec?.replicas]).toEqual([8, 5]);
  edit(harness, { replicas: 15 });
  await harness.settle();
  expect([setOf(harness, 'v1')?.spec?.replicas, setOf(harness, 'v2')?.spec?.replicas]).toEqual([11, 7]);
  await harness.stop();
});

test('Recreate waits for every old pod to be gone', async () => {
  const harness = await startControllers([deploymentController, replicaSetController], (api) => api.seed(DEPLOYMENTS, deployment({ replicas: 2, strategy: { type: 'Recreate' } })), { gracefulPods: true });
  await runToEnd(harness);
  edit(harness, image('v2'));
  await harness.settle();
  const old = harness.api.all(PODS);
  expect(old).toHaveLength(2);
  expect(setOf(harness, 'v2')).toBeUndefined();
  harness.api.finishPod('ns', old[0]!.metadata!.name!);
  await harness.settle();
  expect(setOf(harness, 'v2')).toBeUndefined();
  harness.api.finishPod('ns', old[1]!.metadata!.name!);
  await harness.settle();
  expect(setOf(harness, 'v2')?.spec?.replicas).toBe(2);
  await harness.stop();
});

test('a rollout that stands still for progressDeadlineSeconds has timed out, and recovers', async () => {
  const harness = await start({ progressDeadlineSeconds: 60 });
  await harness.settle(55_000);
  expect(conditions(harness)['Progressing']).toBe('True ReplicaSetUpdated');
  await harness.settle(10_000);
  expect(conditions(harness)['Progressing']).toBe('False ProgressDeadlineExceeded');
  await runToEnd(harness);
  expect(conditions(harness)['Progressing']).toBe('True NewReplicaSetAvailable');
  await harness.stop();
});

test('a taken replica set name raises the collision count', async () => {
  const harness = await start({ replicas: 1 });
  const name = harness.api.all(REPLICA_SETS)[0]!.metadata!.name!;
  await harness.stop();
  const second = await startControllers([deploymentController, replicaSetController], (api) => {
    api.seed(REPLICA_SETS, { metadata: { namespace: 'ns', name }, spec: { selector: { matchLabels: { other: 'x' } } } });
    api.seed(DEPLOYMENTS, deployment({ replicas: 1 }));
  });
  await second.settle(1000);
  expect(get(second).status?.collisionCount).toBe(1);
  expect(second.api.all(REPLICA_SETS)).toHaveLength(2);
  expect(get(second).status?.replicas).toBe(1);
  await second.stop();
});

test('failures of replica sets and of their creation reach the conditions', async () => {
  const harness = await startControllers([deploymentController, replicaSetController], (api) => {
    api.react = (action) => {
      if (action.verb === 'create' && action.resource === 'pods') throw forbiddenError({ group: '', resource: 'pods' }, '', 'exceeded quota');
      return undefined;
    };
    api.seed(DEPLOYMENTS, deployment());
  });
  expect(conditions(harness)['ReplicaFailure']).toBe('True FailedCreate');
  harness.api.react = (action) => {
    if (action.verb === 'create' && action.resource === 'replicasets') throw forbiddenError({ group: 'apps', resource: 'replicasets' }, '', 'no');
    return undefined;
  };
  edit(harness, image('v2'));
  await harness.settle();
  expect(conditions(harness)['Progressing']).toBe('False ReplicaSetCreateError');
  makeReady(harness.api);
  await harness.stop();
});
