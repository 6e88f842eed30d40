import { jest } from '@jest/globals';
import { eventually, type ExecutableCluster } from '../../harness/executable.js';
import { startNative } from '../../harness/native.js';
import { manifest, startApplication, startKubectl, VERSIONS, type Version } from './kubectl-process.js';

jest.setTimeout(180_000);

let cluster: ExecutableCluster;
beforeAll(async () => {
  cluster = await startNative();
  await cluster.kubectl(`apply -f ${manifest('app')}`);
  await cluster.kubectl(`apply -f ${manifest('workloads')}`);
  await startApplication(cluster);
});
afterAll(() => cluster.remove());

const get = (what: string, path: string): Promise<string> => cluster.kubectl(`get ${what} -o jsonpath={${path}}`);
const events = (pod: string, path = '.items[*].message'): Promise<string> => get(`events -n life --field-selector=involvedObject.name=${pod}`, path);

test.concurrent('a job runs to its end, a cron job begins one every minute', async () => {
  await cluster.kubectl('wait -n shop job/migrate --for=condition=Complete --timeout=60s');
  expect(await get('job migrate -n shop', '.status.succeeded')).toBe('3');
  await cluster.kubectl('create job now -n shop --from=cronjob/tick');
  await cluster.kubectl('wait -n shop job/now --for=condition=Complete --timeout=60s');
  expect(await cluster.kubectl('logs -n shop job/now')).toBe('tick\n');
  const ticked = await eventually(async () => (await get('cronjob tick -n shop', '.status.lastSuccessfulTime')) || undefined, 'a job of the schedule has ended', 90_000);
  expect(ticked).toMatch(/^\d{4}-/);
});

test.concurrent('a container that fails is restarted with back-off; its end is told', async () => {
  const state = async (): Promise<{ restartCount: number; state: { waiting?: { reason: string; message: string } }; lastState: { terminated?: { exitCode: number; reason: string; message: string } } }> => JSON.parse(await get('pod crashing -n life', '.status.containerStatuses[0]'));
  const waiting = await eventually(async () => {
    const status = await state();
    return status.restartCount >= 1 && status.state.waiting?.reason === 'CrashLoopBackOff' && status;
  }, 'CrashLoopBackOff');
  expect(waiting.lastState.terminated).toMatchObject({ exitCode: 3, reason: 'Error', message: 'the reason\n' });
  expect(waiting.state.waiting!.message).toMatch(/^back-off \d+s restarting failed container=crashing pod=crashing_life\(/);
  expect(await events('crashing')).toContain('Back-off restarting failed container crashing in pod crashing_life(');
  await eventually(async () => (await state()).restartCount >= 2, 'the second restart');
});

test.concurrent('a container that fails its liveness probe is restarted', async () => {
  await cluster.kubectl('wait -n life pod/unwell --for=condition=Ready --timeout=60s');
  const first = await cluster.kubectl('logs -n life unwell');
  expect(first).toMatch(/^run-[0-9a-f-]+\n$/);
  await cluster.kubectl('exec -n life unwell -- rm /tmp/well');
  await eventually(async () => (await get('pod unwell -n life', '.status.containerStatuses[0].restartCount')) === '1', 'one restart', 30_000);
  const told = await events('unwell');
  expect(told).toContain("Liveness probe failed: cat: can't open '/tmp/well': No such file or directory");
  expect(told).toContain('Container unwell failed liveness probe, will be restarted');
  await cluster.kubectl('wait -n life pod/unwell --for=condition=Ready --timeout=60s');
  expect(await cluster.kubectl('logs -n life unwell --previous')).toBe(first);
  expect(await cluster.kubectl('logs -n life unwell')).not.toBe(first);
  expect(await get('pod unwell -n life', '.status.containerStatuses[0].lastState.terminated.exitCode')).toBe('137');
});

test.concurrent('init containers in order, a sidecar beside them until the end', async () => {
  await cluster.kubectl('wait -n life pod/ordered --for=jsonpath={.status.phase}=Succeeded --timeout=60s');
  expect(await cluster.kubectl('logs -n life ordered -c main')).toBe('first\nsidecar\nlast\nmain\n');
  expect(await cluster.kubectl('logs -n life ordered -c sidecar')).toBe('sidecar-ends\n');
  expect(await get('pod ordered -n life', '.status.initContainerStatuses[*].state.terminated.exitCode')).toBe('0 0 0');
});

test.concurrent('a container over its memory limit is killed, and told so', async () => {
  await eventually(async () => (await get('pod hungry -n life', '.status.phase')) !== 'Running' && (await get('pod hungry -n life', '.status.containerStatuses[0].state.terminated.reason')) === 'OOMKilled', 'OOMKilled');
  expect(await get('pod hungry -n life', '.status.containerStatuses[0].state.terminated.exitCode')).toMatch(/^(137|0|1)$/);
});

test.concurrent('delete with a grace period', async () => {
  await cluster.kubectl('wait -n life pod/stubborn --for=condition=Ready --timeout=60s');
  const before = Date.now();
  await cluster.kubectl('delete pod -n life stubborn --grace-period=2 --timeout=60s');
  expect(Date.now() - before).toBeGreaterThanOrEqual(2000);
});

test.concurrent('there are no metrics of pods without a metrics server', async () => {
  expect(await cluster.kubectl('top pods -n shop', { fails: true })).toContain('error: Metrics API not available');
});

describe.each(VERSIONS)('kubectl 1.%i, in order', (version: Version) => {
  const kubectl = (args: string, options: { readonly fails?: boolean } = {}): Promise<string> => cluster.kubectl(args, { version, ...options });

  test('rollout history, restart, undo and pause', async () => {
    const running = async (): Promise<string> => (await get('pods -n shop -l app=web --field-selector=status.phase=Running', '.items[*].metadata.uid')).split(' ').sort().join();
    const before = await running();
    await kubectl('rollout restart -n shop deployment/web');
    expect(await kubectl('rollout status -n shop deployment/web --timeout=60s')).toContain('successfully rolled out');
    await eventually(async () => (await running()).split(',').every((uid) => !before.includes(uid)), 'all pods are new');
    await kubectl(`set env -n shop deployment/web ROUND=${version}`);
    await kubectl('rollout status -n shop deployment/web --timeout=60s');
    expect(await cluster.kubectl(['exec', '-n', 'shop', 'deployment/web', '--', 'sh', '-c', 'echo $ROUND'], { version })).toBe(`${version}\n`);
    const revisions = (await kubectl('rollout history -n shop deployment/web')).match(/^\d+/gm)!.map(Number);
    expect(revisions.length).toBeGreaterThanOrEqual(3);
    await kubectl('set image -n shop deployment/web nginx=127.0.0.1:1/nothing:1');
    await eventually(async () => /ErrImagePull|ImagePullBackOff/.test(await get('pods -n shop -l app=web', '.items[*].status.containerStatuses[0].state.waiting.reason')), 'the image is not found');
    // The old pods serve until new ones are ready.
    expect(await get('deployment web -n shop', '.status.availableReplicas')).toBe('2');
    expect(await kubectl('rollout status -n shop deployment/web --timeout=1s', { fails: true })).toContain('timed out waiting');
    await kubectl('rollout undo -n shop deployment/web');
    await kubectl('rollout status -n shop deployment/web --timeout=60s');
    await kubectl('rollout restart -n shop statefulset/store');
    await kubectl('rollout status -n shop statefulset/store --timeout=60s');
    await kubectl('rollout restart -n shop daemonset/agent');
    await kubectl('rollout status -n shop daemonset/agent --timeout=60s');
    expect(await kubectl('rollout history -n shop daemonset/agent')).toMatch(/^2 /m);
  });

  test('cordon, drain, uncordon', async () => {
    const node = await get('nodes', '.items[0].metadata.name');
    await cluster.kubectl(`apply -f ${manifest('workloads')}`);
    await cluster.kubectl(`apply -f ${manifest('app')}`);
    await cluster.kubectl('rollout status -n shop deployment/web --timeout=60s');
    await cluster.kubectl('wait -n life pod/scratch --for=condition=Ready --timeout=60s');
    expect(await kubectl(`cordon ${node}`)).toContain('cordoned');
    const agents = await get('pods -n shop -l app=agent', '.items[*].metadata.uid');
    const refused = await kubectl(`drain ${node} --grace-period=1`, { fails: true });
    for (const text of ['cannot delete DaemonSet-managed Pods', 'cannot delete Pods with local storage', 'declare no controller']) expect(refused).toContain(text);
    const draining = startKubectl(cluster, ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--force', '--grace-period=1', '--timeout=60s'], { version });
    try {
      // No new pod has a place, so the budget holds.
      await draining.shows(/error when evicting pods?\/"web-[\s\S]*Cannot evict pod as it would violate the pod's disruption budget/);
      expect(await get('deployment web -n shop', '.status.readyReplicas')).toBe('2');
      await cluster.kubectl(['patch', 'pdb', 'web', '-n', 'shop', '-p', '{"spec":{"minAvailable":0}}']);
      expect(await draining.ended).toBe(0);
      expect(draining.text()).toContain(`node/${node} drained`);
    } finally {
      await draining.kill();
    }
    expect(await get('pods -n shop -l app=agent', '.items[*].metadata.uid')).toBe(agents);
    expect(await get('pods -A --field-selector=status.phase=Running', '.items[*].metadata.labels.app')).toBe('agent');
    await kubectl(`uncordon ${node}`);
    await cluster.kubectl('rollout status -n shop deployment/web --timeout=60s');
    await cluster.kubectl('rollout status -n shop statefulset/store --timeout=60s');
  });
});
