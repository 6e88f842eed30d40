import { Registry } from 'prom-client';
import type { V1Container, V1Pod } from '../api/generated/types.js';
import { CONFIG_MAPS, LEASES, NODES, PODS, SECRETS, SERVICES } from '../api/resource-refs.js';
import { silentLogger } from '../base/log.js';
import { createCertificateAuthority, issueCertificate } from '../base/tls/authority.js';
import { FakeApi } from '../controllers/testing/fake-api.js';
import { listRecorder } from '../controllers/testing/test-context.js';
import { createNodeAgent, type NodeAgent, type NodeAgentOptions } from './index.js';

interface World {
  readonly api: FakeApi;
  readonly events: string[];
  readonly agent: NodeAgent;
  readonly settle: (milliseconds?: number) => Promise<void>;
  readonly pod: (name: string) => V1Pod;
}

const running: NodeAgent[] = [];

afterEach(async () => {
  for (const agent of running.splice(0)) await agent.stop(0);
});

const keys = (api: FakeApi): Pick<NodeAgentOptions, 'serving' | 'clientCa'> => {
  const ca = createCertificateAuthority({ commonName: 'test' }, { clock: api.clock, random: api.random });
  return { serving: issueCertificate(ca, { commonName: 'kubelet', usages: ['server'], ipAddresses: ['127.0.0.1'] }), clientCa: ca.certificate };
};

async function world(options: Partial<NodeAgentOptions> = {}, prepare: (api: FakeApi) => void = () => undefined): Promise<World> {
  const api = new FakeApi({ gracefulPods: true });
  prepare(api);
  const events: string[] = [];
  const agent = createNodeAgent(
    { simulatedNodes: 1, bindAddress: '127.0.0.1', port: 0, podCidrWaitMilliseconds: 0, ...keys(api), ...options },
    { client: api, informers: api, clock: api.clock, random: api.random, log: silentLogger, metrics: new Registry(), recorder: listRecorder(events) },
  );
  running.push(agent);
  await agent.start(new AbortController().signal);
  const settle = async (milliseconds = 0): Promise<void> => {
    await api.clock.advance(100);
    await api.clock.advance(milliseconds);
    await api.clock.advance(100);
  };
  await settle();
  return { api, events, agent, settle, pod: (name) => api.find(PODS, 'default', name)! };
}

function pod(name: string, spec: Partial<V1Pod['spec']> & { containers?: readonly V1Container[] } = {}, annotations: Record<string, string> = {}): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', annotations },
    spec: { nodeName: 'node-1', restartPolicy: 'Always', terminationGracePeriodSeconds: 30, containers: [{ name: 'app', image: 'nginx:1.27' }], ...spec },
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  };
}

const condition = (object: V1Pod, type: string): string | undefined => object.status?.conditions?.find((item) => item.type === type)?.status;

test('a node registers with labels, capacity and Ready, and keeps its lease', async () => {
  const { api, agent, settle } = await world({ nodeTemplate: { labels: { zone: 'a' }, capacity: { cpu: '4' } } });
  const node = api.find(NODES, '', 'node-1')!;
  expect(agent.nodeNames).toEqual(['node-1']);
  expect(node.metadata?.labels).toMatchObject({ 'kubernetes.io/hostname': 'node-1', 'kubernetes.io/os': 'linux', zone: 'a' });
  expect(node.status?.allocatable).toMatchObject({ cpu: '4', pods: '110' });
  expect(node.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
    'MemoryPressure=False KubeletHasSufficientMemory', 'DiskPressure=False KubeletHasNoDiskPressure', 'PIDPressure=False KubeletHasSufficientPID', 'Ready=True KubeletReady',
  ]);
  expect(node.status?.daemonEndpoints?.kubeletEndpoint?.Port).toBe(agent.port);
  const lease = (): string | undefined => api.find(LEASES, 'kube-node-lease', 'node-1')?.spec?.renewTime;
  const before = lease();
  await settle(10_000);
  expect(lease()).not.toBe(before);
  expect(api.find(LEASES, 'kube-node-lease', 'node-1')?.metadata?.ownerReferences?.[0]).toMatchObject({ kind: 'Node', uid: node.metadata?.uid });
});

test('a pod becomes Running and Ready in one write, with upstream\'s events', async () => {
  const { api, events, settle, pod: get } = await world();
  events.length = 0;
  api.seed(PODS, pod('web'));
  const writes = (): number => api.actions.filter((action) => action.resource === 'pods' && action.verb === 'patch').length;
  await settle();
  const { status } = get('web');
  expect(status).toMatchObject({ phase: 'Running', qosClass: 'BestEffort', hostIP: '127.0.0.1' });
  expect(status?.podIPs).toEqual([{ ip: status?.podIP }]);
  expect(status?.conditions?.map(({ type, status: value }) => `${type}=${value}`).sort()).toEqual(['ContainersReady=True', 'Initialized=True', 'PodReadyToStartContainers=True', 'PodScheduled=True', 'Ready=True']);
  expect(status?.containerStatuses?.[0]).toMatchObject({ name: 'app', ready: true, started: true, restartCount: 0, image: 'nginx:1.27' });
  expect(status?.containerStatuses?.[0]?.containerID).toMatch(/^sim:\/\/[0-9a-f]{64}$/);
  expect(status?.containerStatuses?.[0]?.imageID).toMatch(/^docker\.io\/library\/nginx@sha256:/);
  expect(events).toEqual([
    'Normal Pulling Pulling image "nginx:1.27"',
    expect.stringMatching(/^Normal Pulled Successfully pulled image "nginx:1.27" in \d+m?s \(\d+m?s including waiting\)\. Image size: \d+ bytes\.$/),
    'Normal Created Container created',
    'Normal Started Container started',
  ]);
  expect(writes()).toBe(1);
  await settle(60_000);
  expect(writes()).toBe(1);
});

test('pods get addresses of the node\'s range', async () => {
  const { api, settle, pod: get } = await world({ podCidrWaitMilliseconds: 3000 });
  api.seed(PODS, pod('web'));
  await settle();
  expect(get('web').status?.podIP).toBeUndefined();
  api.edit(NODES, '', 'node-1', () => ({ spec: { podCIDR: '10.244.7.0/24' } }));
  await settle();
  expect(get('web').status?.podIP).toBe('10.244.7.2');
});

test('deletion is graceful: containers end, the final status is written, then the object goes', async () => {
  const { api, events, settle, pod: get } = await world();
  api.seed(PODS, pod('web', {}, { 'sim.kube.dev/stop-latency': '5s' }));
  await settle();
  await api.resource(PODS).delete('default', 'web', { gracePeriodSeconds: 30 });
  await settle(2000);
  expect(get('web').status?.phase).toBe('Running');
  expect(events.at(-1)).toBe('Normal Killing Stopping container app');
  await settle(4000);
  const last = api.actions.filter((action) => action.resource === 'pods').slice(-2);
  expect(last[0]).toMatchObject({ verb: 'patch', subresource: 'status', body: { status: { phase: 'Succeeded', containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }] } } });
  expect(last[1]).toMatchObject({ verb: 'delete', body: { gracePeriodSeconds: 0 } });
});

test('a container that ignores the request to end is killed after the grace period, and a shorter one given later wins', async () => {
  const { api, settle, pod: get } = await world();
  api.seed(PODS, pod('web', {}, { 'sim.kube.dev/ignore-sigterm': 'true' }));
  await settle();
  await api.resource(PODS).delete('default', 'web', { gracePeriodSeconds: 300 });
  await settle(10_000);
  expect(get('web').status?.phase).toBe('Running');
  api.edit(PODS, 'default', 'web', () => ({ metadata: { deletionGracePeriodSeconds: 5 } }));
  await settle(6000);
  const final = api.actions.filter((action) => action.verb === 'patch' && action.resource === 'pods').at(-1);
  expect(final?.body).toMatchObject({ status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 137 } } }] } });
});

test('a pod of a Job completes, and its status stays', async () => {
  const { api, settle, pod: get } = await world();
  api.seed(PODS, pod('job', { restartPolicy: 'Never' }));
  await settle();
  expect(get('job').status?.phase).toBe('Running');
  await settle(1500);
  const { status } = get('job');
  expect(status?.phase).toBe('Succeeded');
  expect(status?.podIP).toBeDefined();
  expect(status?.conditions?.find((item) => item.type === 'Ready')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
  expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
});

test('a crashing container backs off 10 s, 20 s, …, and counts its restarts', async () => {
  const { api, events, settle, pod: get } = await world();
  api.seed(PODS, pod('bad', { containers: [{ name: 'app', image: 'busybox', command: ['sh', '-c', 'sleep 1; exit 3'] }] }));
  await settle(1100);
  // The first restart comes at once.
  expect(get('bad').status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 3, reason: 'Error' } } });
  await settle(1100);
  const waiting = get('bad').status?.containerStatuses?.[0];
  expect(waiting?.state?.waiting).toMatchObject({ reason: 'CrashLoopBackOff', message: expect.stringMatching(/^back-off 10s restarting failed container=app pod=bad_default\(/) });
  expect(waiting).toMatchObject({ ready: false, started: false, restartCount: 1 });
  expect(get('bad').status?.phase).toBe('Running');
  expect(condition(get('bad'), 'Ready')).toBe('False');
  await settle(10_000);
  expect(get('bad').status?.containerStatuses?.[0]?.restartCount).toBe(2);
  await settle(2000);
  expect(get('bad').status?.containerStatuses?.[0]?.state?.waiting?.message).toMatch(/^back-off 20s/);
  expect(events.some((event) => event.startsWith('Warning BackOff Back-off restarting failed container app in pod bad_default('))).toBe(true);
});

test('images that cannot be pulled: ErrImagePull, ImagePullBackOff, and recovery', async () => {
  const { api, events, settle, pod: get } = await world();
  api.seed(PODS, pod('web', {}, { 'sim.kube.dev/fail': 'ImagePull', 'sim.kube.dev/fail-times': '1' }));
  await settle();
  expect(get('web').status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ErrImagePull');
  expect(get('web').status?.phase).toBe('Pending');
  await settle(2500);
  expect(get('web').status?.containerStatuses?.[0]?.state?.waiting).toMatchObject({ reason: 'ImagePullBackOff', message: expect.stringMatching(/^Back-off pulling image "nginx:1.27": ErrImagePull: failed to resolve/) });
  expect(events).toContain('Warning Failed Error: ErrImagePull');
  expect(events).toContain('Normal BackOff Back-off pulling image "nginx:1.27"');
  await settle(10_000);
  expect(get('web').status?.phase).toBe('Running');
});

test('init containers run in order, a sidecar gates what follows and ends last', async () => {
  const { api, events, settle, pod: get } = await world();
  api.seed(PODS, pod('web', {
    initContainers: [
      { name: 'first', image: 'busybox', command: ['sleep', '2'] },
      { name: 'side', image: 'proxy', restartPolicy: 'Always', startupProbe: { exec: { command: ['true'] }, periodSeconds: 1, failureThreshold: 10 } },
      { name: 'second', image: 'busybox', command: ['sleep', '2'] },
    ],
  }, { 'sim.kube.dev/side.ready-latency': '3s' }));
  await settle();
  expect(get('web').status?.phase).toBe('Pending');
  expect(get('web').status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('PodInitializing');
  expect(get('web').status?.conditions?.find((item) => item.type === 'Initialized')).toMatchObject({ status: 'False', reason: 'ContainersNotInitialized', message: 'containers with incomplete status: [first side second]' });
  await settle(2000);
  const init = (name: string): string => Object.keys(get('web').status?.initContainerStatuses?.find((item) => item.name === name)?.state ?? {})[0] ?? '';
  expect([init('first'), init('side'), init('second')]).toEqual(['terminated', 'running', 'waiting']);
  await settle(4000);
  expect([init('first'), init('side'), init('second')]).toEqual(['terminated', 'running', 'running']);
  await settle(2500);
  expect(get('web').status?.phase).toBe('Running');
  expect(condition(get('web'), 'Ready')).toBe('True');
  events.length = 0;
  await api.resource(PODS).delete('default', 'web', { gracePeriodSeconds: 30 });
  await settle(1000);
  expect(api.find(PODS, 'default', 'web')).toBeUndefined();
  expect(events.filter((event) => event.includes('Killing')).length).toBe(2);
});

test('a failed init container of a pod that never restarts fails the pod', async () => {
  const { api, settle, pod: get } = await world();
  api.seed(PODS, pod('job', { restartPolicy: 'Never', initContainers: [{ name: 'init', image: 'busybox', command: ['false'] }] }));
  await settle(500);
  expect(get('job').status?.phase).toBe('Failed');
  expect(get('job').status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('PodInitializing');
});

test('readiness and liveness probes: a pod that turns unready, and one that is restarted', async () => {
  const probe = { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 2 };
  const { api, events, settle, pod: get } = await world();
  api.seed(PODS, pod('slow', { containers: [{ name: 'app', image: 'nginx', readinessProbe: probe }] }, { 'sim.kube.dev/ready-latency': '3s' }));
  api.seed(PODS, pod('sick', { containers: [{ name: 'app', image: 'nginx', livenessProbe: probe }] }, { 'sim.kube.dev/fail': 'Liveness', 'sim.kube.dev/fail-times': '1' }));
  await settle(1000);
  expect(get('slow').status?.phase).toBe('Running');
  expect(get('slow').status?.conditions?.find((item) => item.type === 'Ready')).toMatchObject({ status: 'False', reason: 'ContainersNotReady', message: 'containers with unready status: [app]' });
  await settle(3000);
  expect(condition(get('slow'), 'Ready')).toBe('True');
  expect(get('sick').status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true });
  expect(events).toContain('Normal Killing Container app failed liveness probe, will be restarted');
  expect(events.some((event) => event.startsWith('Warning Unhealthy Liveness probe failed: '))).toBe(true);
});

test('readiness gates hold Ready back until somebody sets the condition, which the agent leaves alone', async () => {
  const { api, settle, pod: get } = await world();
  api.seed(PODS, pod('web', { readinessGates: [{ conditionType: 'example.com/lb' }] }));
  await settle();
  expect(get('web').status?.conditions?.find((item) => item.type === 'Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
  await api.resource(PODS).patch('default', 'web', 'strategic', { status: { conditions: [{ type: 'example.com/lb', status: 'True' }] } }, 'status');
  await settle();
  expect(condition(get('web'), 'Ready')).toBe('True');
  expect(condition(get('web'), 'example.com/lb')).toBe('True');
});

test('missing configuration: FailedMount for volumes, CreateContainerConfigError for env', async () => {
  const { api, events, settle, pod: get } = await world();
  api.seed(PODS, pod('vol', { volumes: [{ name: 'conf', configMap: { name: 'settings' } }] }));
  api.seed(PODS, pod('env', { containers: [{ name: 'app', image: 'nginx', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'keys', key: 'a' } } }] }] }));
  await settle(500);
  expect(get('vol').status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ContainerCreating');
  expect(events).toContain('Warning FailedMount MountVolume.SetUp failed for volume "conf" : configmap "settings" not found');
  expect(get('env').status?.containerStatuses?.[0]?.state?.waiting).toEqual({ reason: 'CreateContainerConfigError', message: 'secret "keys" not found' });
  api.seed(CONFIG_MAPS, { metadata: { name: 'settings', namespace: 'default' } });
  api.seed(SECRETS, { metadata: { name: 'keys', namespace: 'default' }, data: { b: 'eA==' } });
  await settle(15_000);
  expect(get('vol').status?.phase).toBe('Running');
  expect(get('env').status?.containerStatuses?.[0]?.state?.waiting?.message).toBe('couldn\'t find key a in Secret default/keys');
  api.edit(SECRETS, 'default', 'keys', () => ({ data: { a: 'eA==' } }));
  await settle(15_000);
  expect(get('env').status?.phase).toBe('Running');
});

test('pods that do not fit are refused by the node', async () => {
  const { api, events, settle, pod: get } = await world({ nodeTemplate: { capacity: { cpu: '1', pods: '2' } } });
  const big = (name: string): V1Pod => pod(name, { containers: [{ name: 'app', image: 'nginx', resources: { requests: { cpu: '600m' } } }] });
  api.seed(PODS, big('one'));
  api.seed(PODS, big('two'));
  api.seed(PODS, pod('elsewhere', { nodeSelector: { disk: 'ssd' } }));
  await settle();
  expect(get('one').status?.phase).toBe('Running');
  expect(get('two').status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu', message: 'Pod was rejected: Node didn\'t have enough resource: cpu, requested: 600, used: 600, capacity: 1000' });
  expect(get('elsewhere').status).toMatchObject({ phase: 'Failed', reason: 'NodeAffinity' });
  expect(events).toContain('Warning OutOfcpu Node didn\'t have enough resource: cpu, requested: 600, used: 600, capacity: 1000');
  await api.resource(PODS).delete('default', 'two', { gracePeriodSeconds: 30 });
  await settle();
  expect(api.find(PODS, 'default', 'two')).toBeUndefined();
});

test('activeDeadlineSeconds ends a pod as failed', async () => {
  const { api, settle, pod: get } = await world();
  api.seed(PODS, pod('late', { activeDeadlineSeconds: 5, restartPolicy: 'Never', containers: [{ name: 'app', image: 'x', command: ['sleep', '100'] }] }));
  await settle(3000);
  expect(get('late').status?.phase).toBe('Running');
  await settle(3000);
  expect(get('late').status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' });
});

test('a force-deleted pod is cleaned up although its object is gone', async () => {
  const { api, agent, settle } = await world();
  api.seed(PODS, pod('web'));
  await settle();
  api.finishPod('default', 'web');
  await settle(40_000);
  expect(api.actions.filter((action) => action.resource === 'pods' && action.verb === 'delete')).toEqual([]);
  expect(agent.nodeNames).toHaveLength(1);
});

test('a new agent takes simulated pods over as they are', async () => {
  const first = await world({}, (api) => void api.seed(SERVICES, { metadata: { name: 'kubernetes', namespace: 'default' }, spec: { clusterIP: '10.96.0.1', ports: [{ port: 443 }] } }));
  first.api.seed(PODS, pod('web'));
  await first.settle();
  const before = first.pod('web');
  await first.agent.stop(0);
  running.splice(0);
  const writes = first.api.actions.length;
  const second = createNodeAgent(
    { simulatedNodes: 1, bindAddress: '127.0.0.1', port: 0, ...keys(first.api) },
    { client: first.api, informers: first.api, clock: first.api.clock, random: first.api.random, log: silentLogger, metrics: new Registry(), recorder: listRecorder([]) },
  );
  running.push(second);
  await second.start(new AbortController().signal);
  await first.settle(5000);
  expect(first.pod('web').status).toEqual(before.status);
  expect(first.api.actions.slice(writes).filter((action) => action.resource === 'pods' && action.verb === 'patch')).toEqual([]);
});
