import { jest } from '@jest/globals';
import { DEPLOYMENTS, JOBS, LEASES, NODES, PODS } from '../../src/api/resource-refs.js';
import type { V1Deployment, V1Job } from '../../src/api/generated/types.js';
import { SystemClock } from '../../src/base/clock.js';
import { startCluster, type RunningCluster } from '../../src/index.js';
import { eventually } from '../harness/executable.js';

jest.setTimeout(120_000);

const HOUR = 3_600_000;

/** The real clock, except that somebody sets the time of day. */
class JumpingClock extends SystemClock {
  private offset = 0;

  jump(milliseconds: number): void {
    this.offset += milliseconds;
  }

  override now(): number {
    return super.now() + this.offset;
  }
}

const template = (app: string, more: object = {}) => ({ metadata: { labels: { app } }, spec: { containers: [{ name: 'main', image: 'nginx' }], ...more } });
const deployment: V1Deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' }, spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('web') } };
const job = (name: string): V1Job => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' }, spec: { completions: 2, template: template(name, { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'] }] }) } });

describe('the time of day jumps', () => {
  const clock = new JumpingClock();
  let cluster: RunningCluster;

  const pods = async (): Promise<string[]> => (await cluster.client.resource(PODS).list('default', { labelSelector: 'app=web' })).items.map((pod) => `${pod.metadata!.uid} ${pod.status!.phase} ${pod.metadata!.deletionTimestamp ?? ''}`).sort();
  const ready = async (): Promise<number> => (await cluster.client.resource(NODES).list('')).items.filter((node) => node.status!.conditions!.some((condition) => condition.type === 'Ready' && condition.status === 'True') && (node.spec?.taints ?? []).length === 0).length;
  const revision = async (): Promise<number> => Number((await cluster.client.resource(PODS).list('')).metadata!.resourceVersion);

  beforeAll(async () => {
    cluster = await startCluster({ nodes: 3, environment: { clock }, settings: { controllers: { nodeMonitorGracePeriodSeconds: 20 } } });
    await cluster.client.resource(DEPLOYMENTS).create(deployment);
    await eventually(async () => (await cluster.client.resource(DEPLOYMENTS).get('default', 'web')).status?.availableReplicas === 3, 'three available replicas');
  });
  afterAll(() => cluster.stop());

  test.each([['forwards', 30], ['backwards', -48]])('%s by %i hours: nodes stay, pods stay, work goes on', async (what, hours) => {
    const before = await pods();
    const leases = new Map((await cluster.client.resource(LEASES).list('kube-node-lease')).items.map((lease) => [lease.metadata!.name!, lease.metadata!.resourceVersion!]));
    const seen = await revision();
    clock.jump(hours * HOUR);

    // The node controllers look every five seconds at most; each lease is renewed within ten.
    await eventually(async () => (await cluster.client.resource(LEASES).list('kube-node-lease')).items.every((lease) => lease.metadata!.resourceVersion !== leases.get(lease.metadata!.name!)), 'every lease is renewed', 30_000);
    expect(await ready()).toBe(3);
    expect(await pods()).toEqual(before);
    expect(await revision()).toBeGreaterThan(seen);

    const name = `job-${what.replace(' ', '-')}`;
    await cluster.client.resource(JOBS).create(job(name));
    await eventually(async () => (await cluster.client.resource(JOBS).get('default', name)).status?.succeeded === 2, 'the job is done', 30_000);
    expect(await pods()).toEqual(before);
  });
});
