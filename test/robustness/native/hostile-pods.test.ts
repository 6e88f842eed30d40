import { jest } from '@jest/globals';
import { readdir, stat } from 'node:fs/promises';
import type { V1ContainerStatus, V1Pod } from '../../../src/api/generated/types.js';
import { eventually, run, type ExecutableCluster } from '../../harness/executable.js';
import { BUSYBOX, startNative } from '../../harness/native.js';
import { documents } from './support/documents.js';
import { ownHost, processes } from './support/own-host.js';
import { strays } from './support/strays.js';

jest.setTimeout(240_000);

const MEGABYTE = 1024 ** 2;
/** The kubelet's defaults: containerLogMaxSize and containerLogMaxFiles. */
const LOG_FILE_BYTES = 10 * MEGABYTE;
const LOG_FILES = 5;
const SHORT_PROGRAMS = 10_000;

let cluster: ExecutableCluster;
let bystander: string;

beforeAll(async () => {
  cluster = await startNative([], ['busybox', 'nginx']);
  await cluster.kubectl('run bystander --image kube.test/nginx:1');
  await cluster.kubectl('wait --for=condition=Ready pod/bystander --timeout=60s');
  bystander = await cluster.kubectl('get pod bystander -o jsonpath={.status.podIP}');
});

afterAll(() => cluster.remove());

/** Whatever happened to others: it answers, and its container is the first one still. */
afterEach(async () => {
  expect((await run('curl', ['-sf', '-m', '20', '-o', '/dev/null', `http://${bystander}/`])).code).toBe(0);
  expect(await cluster.kubectl('get pod bystander -o jsonpath={.status.containerStatuses[0].restartCount}')).toBe('0');
  await cluster.kubectl('delete pod -l hostile --wait --timeout=60s');
  await eventually(async () => expect(await strays(ownHost(cluster.dataDir))).toEqual([]) === undefined, 'nothing of the pod is left');
});

interface HostilePod {
  readonly container?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

async function start(name: string, script: string, { container, spec }: HostilePod = {}): Promise<void> {
  const pod = {
    apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { hostile: 'true' } },
    spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [{ name: 'c', image: BUSYBOX, command: ['sh', '-c', script], ...container }], ...spec },
  };
  await cluster.kubectl('create -f -', { input: documents(pod) });
}

async function read(name: string): Promise<V1Pod> {
  return JSON.parse(await cluster.kubectl(`get pod ${name} -o json`)) as V1Pod;
}

function container(name: string, holds: (status: V1ContainerStatus) => boolean, what: string): Promise<V1Pod> {
  return eventually(async () => {
    const pod = await read(name);
    const status = pod.status?.containerStatuses?.[0];
    return status && holds(status) && pod;
  }, what, 90_000);
}

/** Command lines of the processes of a pod's containers. */
async function processesOf(name: string): Promise<readonly string[]> {
  const uid = (await read(name)).metadata!.uid!;
  return (await processes()).filter(({ groups }) => groups.includes(`/pod${uid}/`)).map(({ words }) => words.join(' '));
}

test('a fork bomb stays within its limits, and its pod can be deleted', async () => {
  await start('bomb', 'bomb() { bomb & bomb & sleep 1000; }; bomb', { container: { resources: { limits: { memory: '48Mi', cpu: '200m' } } } });
  await eventually(async () => {
    if ((await processesOf('bomb')).length > 100) return true;
    return (await read('bomb')).status?.containerStatuses?.[0]?.state?.terminated !== undefined;
  }, 'there are many processes, or memory has run out');
  expect(await cluster.kubectl('exec bystander -- echo alive')).toBe('alive\n');
  const uid = (await read('bomb')).metadata!.uid!;
  await cluster.kubectl('delete pod bomb --wait --timeout=60s');
  expect((await processes()).filter(({ groups }) => groups.includes(`/pod${uid}/`))).toEqual([]);
});

test('a hog of memory is killed, and its status says so', async () => {
  await start('hog', 'tail /dev/zero', { container: { command: ['tail', '/dev/zero'], resources: { limits: { memory: '32Mi' } } } });
  const pod = await container('hog', ({ state }) => state?.terminated !== undefined, 'the hog ends');
  expect(pod.status!.containerStatuses![0]!.state!.terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
  // The final phase is told once nothing of the pod can run any more.
  await eventually(async () => (await read('hog')).status!.phase === 'Failed', 'the pod has failed');
});

test('a process that ignores SIGTERM is killed when its time is over', async () => {
  await start('stubborn', 'trap "" TERM INT HUP; echo begun; while true; do sleep 1; done');
  await eventually(async () => (await cluster.kubectl('logs stubborn')).includes('begun'), 'it has begun');
  await cluster.kubectl('delete pod stubborn --wait --timeout=60s');
  expect(await cluster.kubectl('get pod stubborn', { fails: true })).toMatch('not found');
});

test('a container without stdout that writes to stderr without end of line goes on, and all of it is in its log', async () => {
  const bytes = 3 * MEGABYTE;
  await start('endless', `exec 1>&-; head -c ${bytes} /dev/zero | tr '\\0' x >&2; sleep 1000`);
  await eventually(async () => (await cluster.kubectl('logs endless')).length === bytes, 'all of it is in the log');
  expect((await cluster.kubectl('logs endless --tail 1 --limit-bytes 100')).length).toBe(100);
  expect((await read('endless')).status!.phase).toBe('Running');
});

test('a flood of log lines is bounded on disk', async () => {
  await start('flood', 'yes "a line of the flood, of sixty-four bytes, and all of them alike" | head -c 40000000; echo; echo rested; sleep 1000');
  const { uid } = (await read('flood')).metadata!;
  const folder = `${ownHost(cluster.dataDir).stateFolder}/logs/default_flood_${uid}/c`;
  await eventually(async () => {
    const files = await readdir(folder);
    expect(files.length).toBeLessThanOrEqual(LOG_FILES);
    return files.length > 1 && (await stat(`${folder}/0.log`)).size <= LOG_FILE_BYTES;
  }, 'the log was rotated', 90_000);
  expect((await read('flood')).status!.phase).toBe('Running');
});

test.each([
  ['a volume beyond its limit', { container: { volumeMounts: [{ name: 'v', mountPath: '/full' }] }, spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '2Mi' } }] } }, /EmptyDir volume "v" exceeds the limit "2Mi"/],
  ['ephemeral storage beyond its limit', { container: { resources: { limits: { 'ephemeral-storage': '2Mi' } } } }, /exceed.*2Mi/],
])('a pod that fills %s is evicted', async (_what, more, message) => {
  await start('filler', 'mkdir -p /full; head -c 8000000 /dev/zero > /full/file; sleep 1000', more);
  const { status } = await eventually(async () => {
    const pod = await read('filler');
    return pod.status?.phase === 'Failed' && pod;
  }, 'the pod is evicted', 90_000);
  expect(status).toMatchObject({ reason: 'Evicted', message: expect.stringMatching(message) });
  await eventually(async () => (await cluster.kubectl('events --for pod/filler')).includes('Evicted'), 'an event tells of it');
});

test(`${SHORT_PROGRAMS} short programs leave nothing behind`, async () => {
  await start('short', `i=0; while [ $i -lt ${SHORT_PROGRAMS} ]; do /bin/busybox true; i=$((i+1)); done; echo done; sleep 1000`);
  await container('short', ({ state }) => state?.running !== undefined, 'it runs');
  const said = await Promise.all(Array.from({ length: 20 }, (_, i) => cluster.kubectl(['exec', 'short', '--', 'echo', String(i)])));
  expect(said).toEqual(Array.from({ length: 20 }, (_, i) => `${i}\n`));
  await eventually(async () => (await cluster.kubectl('logs short')) === 'done\n', 'all of them ended', 120_000);
  await eventually(async () => expect((await processesOf('short')).filter((line) => !line.startsWith('sh -c'))).toEqual(['sleep 1000']) === undefined, 'only the shell and its sleep are left');
  expect(await readdir(`${ownHost(cluster.dataDir).runFolder}/e`)).toEqual([]);
});

test.each([
  ['the root of the host', '/', 'trap/etc'],
  ['folders above its volume', '../../../../../../..', 'trap'],
  ['itself', 'trap', 'trap'],
])('a link in a volume to %s leads no subPath out of it', async (_what, target, subPath) => {
  await start('trap', 'ls /mounted; sleep 1000', {
    container: { volumeMounts: [{ name: 'v', mountPath: '/mounted', subPath }] },
    spec: { volumes: [{ name: 'v', emptyDir: {} }], initContainers: [{ name: 'set', image: BUSYBOX, command: ['ln', '-s', target, '/v/trap'], volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
  });
  const pod = await container('trap', ({ state }) => state?.running !== undefined || /Error$/.test(state?.waiting?.reason ?? ''), 'the container starts or does not');
  const { waiting } = pod.status!.containerStatuses![0]!.state!;
  expect(waiting).toMatchObject({ reason: 'CreateContainerConfigError', message: expect.stringMatching(/subPath/) });
});
