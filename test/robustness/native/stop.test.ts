import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1ContainerStatus, V1Pod, V1PodList } from '../../../src/api/generated/types.js';
import { eventually, kube, run, type ExecutableCluster } from '../../harness/executable.js';
import { BUSYBOX, startNative } from '../../harness/native.js';
import { documents } from './support/documents.js';
import { linesOf } from './support/marked.js';
import { mountPoints, ownHost, processes } from './support/own-host.js';
import { strays } from './support/strays.js';

jest.setTimeout(300_000);

let cluster: ExecutableCluster;
let marks: string;

beforeAll(async () => {
  marks = await mkdtemp(join(tmpdir(), 'kube-marks-'));
  cluster = await startNative([], ['busybox']);
  await cluster.kubectl('apply -f -', { input: documents(...objects()) });
  await ready();
});

afterAll(async () => {
  await cluster.remove();
  await rm(marks, { recursive: true, force: true });
});

/** A pod whose containers write down how they are ended, and one that keeps a counter of its starts in a claim. */
function objects(): readonly unknown[] {
  const volumeMounts = [{ name: 'marks', mountPath: '/marks' }];
  const script = (name: string): string => `trap 'echo ${name} >> /marks/ended; exit 0' TERM; while true; do sleep 0.1; done`;
  const volumes = [{ name: 'marks', hostPath: { path: marks } }];
  return [
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'claim' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } },
    {
      apiVersion: 'v1', kind: 'Pod', metadata: { name: 'ordered' },
      spec: {
        terminationGracePeriodSeconds: 20, volumes,
        initContainers: ['first', 'second'].map((name) => ({ name, image: BUSYBOX, restartPolicy: 'Always', command: ['sh', '-c', script(name)], volumeMounts })),
        containers: [{ name: 'main', image: BUSYBOX, command: ['sh', '-c', script('main')], volumeMounts, lifecycle: { preStop: { exec: { command: ['sh', '-c', 'sleep 0.5; echo hook >> /marks/ended'] } } } }],
      },
    },
    {
      apiVersion: 'v1', kind: 'Pod', metadata: { name: 'keeper' },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{
          name: 'c', image: BUSYBOX, command: ['sh', '-c', 'for place in claim disk memory; do echo start >> /$place/starts; done; sleep 1000'],
          volumeMounts: ['claim', 'disk', 'memory'].map((name) => ({ name, mountPath: `/${name}` })),
        }],
        volumes: [{ name: 'claim', persistentVolumeClaim: { claimName: 'claim' } }, { name: 'disk', emptyDir: {} }, { name: 'memory', emptyDir: { medium: 'Memory' } }],
      },
    },
  ];
}

async function pods(): Promise<readonly V1Pod[]> {
  return (JSON.parse(await cluster.kubectl('get pods -o json')) as V1PodList).items;
}

async function ready(): Promise<void> {
  await cluster.kubectl('wait --for=condition=Ready pod --all --timeout=60s');
}

/** Ids and counts of restarts of all containers, by pod and name. */
async function instances(): Promise<Readonly<Record<string, { readonly id: string | undefined; readonly restarts: number }>>> {
  const all = (await pods()).flatMap(({ metadata, status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map((one): [string, V1ContainerStatus] => [`${metadata!.name}/${one.name}`, one]));
  return Object.fromEntries(all.map(([name, { containerID, restartCount }]) => [name, { id: containerID, restarts: restartCount }]));
}

/** Waits until every container runs again: anew, and counted once more than before. */
async function restartedOnce(before: Awaited<ReturnType<typeof instances>>): Promise<void> {
  await eventually(async () => {
    const now = await instances();
    expect(Object.fromEntries(Object.entries(now).map(([name, { restarts }]) => [name, restarts]))).toEqual(Object.fromEntries(Object.entries(before).map(([name, { restarts }]) => [name, restarts + 1])));
    for (const [name, { id }] of Object.entries(now)) expect(id).not.toBe(before[name]!.id);
    return true;
  }, 'all containers were restarted once');
  await ready();
}

/** The monitors of all containers and their first processes; what these begin comes and goes. */
async function inside(): Promise<readonly number[]> {
  const { cgroup } = ownHost(cluster.dataDir);
  const own = (await processes()).filter(({ groups }) => groups.includes(`${cgroup}/`));
  const monitors = new Set(own.filter(({ words }) => words[0]?.endsWith('conmon')).map(({ pid }) => pid));
  return own.filter(({ pid, parent }) => monitors.has(pid) || monitors.has(parent)).map(({ pid }) => pid).sort();
}

/** What the containers of the ordered pod wrote since the last call. */
async function ended(): Promise<readonly string[]> {
  const lines = await linesOf(`${marks}/ended`);
  await rm(`${marks}/ended`, { force: true });
  return lines;
}

test('stop ends containers in order: hook, signal, and sidecars last, the last one first; the next start runs them again', async () => {
  const before = await instances();
  await cluster.stop();
  expect(await ended()).toEqual(['hook', 'main', 'second', 'first']);
  expect(await inside()).toEqual([]);
  await cluster.start();
  await restartedOnce(before);
});

test('stop --keep-pods leaves pods running; the next start adopts them', async () => {
  const before = await instances();
  const running = await inside();
  expect((await kube(['stop', '--keep-pods', '--data-dir', cluster.dataDir])).code).toBe(0);
  expect(await inside()).toEqual(running);
  await cluster.start();
  await ready();
  expect(await instances()).toEqual(before);
  expect(await inside()).toEqual(running);
  expect(await ended()).toEqual([]);
});

/** Runs the cluster in the foreground until it is ready, and interrupts it as a terminal does. */
async function interruptForeground(...flags: readonly string[]): Promise<void> {
  const program = join(import.meta.dirname, '../../../bin/kube');
  const child = spawn(process.execPath, [program, 'run', 'all', '-o', 'json', '--data-dir', cluster.dataDir, '--secure-port', new URL(cluster.ready.server).port, '--container-runtime', 'native', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), exit]);
  await ready();
  child.kill('SIGINT');
  expect(await exit).toBe(0);
}

test('Ctrl-C in the foreground ends containers in order too, and with --keep-pods leaves them', async () => {
  const before = await instances();
  const running = await inside();
  expect((await kube(['stop', '--keep-pods', '--data-dir', cluster.dataDir])).code).toBe(0);
  await interruptForeground('--keep-pods');
  expect(await inside()).toEqual(running);
  await interruptForeground();
  expect(await ended()).toEqual(['hook', 'main', 'second', 'first']);
  expect(await inside()).toEqual([]);
  await cluster.start();
  await restartedOnce(before);
});

test('after a restart of the machine all pods run again, with the data of their claims', async () => {
  const before = await instances();
  const host = ownHost(cluster.dataDir);
  const starts = async (place: string): Promise<number> => (await cluster.kubectl(['exec', 'keeper', '--', 'cat', `/${place}/starts`])).trim().split('\n').length;
  const kept = { claim: await starts('claim'), disk: await starts('disk') };
  await cluster.kill();
  // What a machine's end takes along: processes, mounts, what lies in memory, interfaces, rules, control groups.
  const monitors = (await processes()).filter(({ words, groups }) => groups.includes(`${host.cgroup}/`) || (words[0]!.endsWith('conmon') && words.some((word) => word.startsWith(host.runFolder))));
  for (const { pid } of monitors) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended with one of the others.
    }
  }
  await eventually(async () => (await inside()).length === 0, 'all processes are gone');
  const mounts = (await mountPoints()).filter((path) => path === host.runFolder || path.startsWith(`${host.runFolder}/`) || path.startsWith(`${host.stateFolder}/`));
  await run('umount', ['-l', ...mounts.reverse()]);
  await rm(host.runFolder, { recursive: true });
  for (const table of ['services', 'pods']) await run('nft', ['delete', 'table', 'ip', `${host.tablePrefix}-${table}`]);
  const links = (JSON.parse((await run('ip', ['-j', 'link'])).stdout) as readonly { readonly ifname: string }[]).filter(({ ifname }) => ifname.startsWith(host.interfacePrefix));
  for (const { ifname } of links) await run('ip', ['link', 'delete', ifname]);
  const label = `lo:${host.interfacePrefix}`;
  for (const [, address] of (await run('ip', ['-o', 'addr', 'show', 'dev', 'lo'])).stdout.matchAll(new RegExp(`inet (\\S+) .* ${label}`, 'g'))) await run('ip', ['addr', 'delete', address!, 'dev', 'lo']);
  await run('find', ['/sys/fs/cgroup', '-depth', '-path', `*${host.cgroup}*`, '-type', 'd', '-exec', 'rmdir', '{}', ';']);

  await cluster.start();
  await restartedOnce(before);
  expect({ claim: await starts('claim'), disk: await starts('disk') }).toEqual({ claim: kept.claim + 1, disk: kept.disk + 1 });
  expect(await starts('memory')).toBe(1);
  await eventually(async () => (await strays(host)).length === 0, 'nothing is left over');
});
