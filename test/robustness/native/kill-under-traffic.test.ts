import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Job, V1Node, V1Pod, V1PodList } from '../../../src/api/generated/types.js';
import { SeededRandom } from '../../../src/base/random.js';
import { eventually, type ExecutableCluster } from '../../harness/executable.js';
import { NGINX, startNative } from '../../harness/native.js';
import { documents } from './support/documents.js';
import { linesOf, markedPod, startsOf } from './support/marked.js';
import { OutsideClient } from './support/outside-client.js';
import { ownHost } from './support/own-host.js';
import { hostSnapshot } from './support/snapshot.js';
import { strays } from './support/strays.js';

/** Number of kills. KUBE_KILLS and KUBE_SEED repeat a run with other numbers. */
const KILLS = Number(process.env['KUBE_KILLS'] ?? 10);
const SEED = Number(process.env['KUBE_SEED'] ?? Date.now() % 1_000_000);
const JOB_COMPLETIONS = 30;
/** A running cluster is killed so long after its last orders, at most; one that starts, after its beginning. Milliseconds. */
const MOST_AFTER_ORDERS = 500;
const MOST_AFTER_START = 1800;
const EARLY_KILLS = 0.3;

jest.setTimeout(600_000);

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

test(`${KILLS} kills under pods with traffic: they answer, log, and restart as if nothing had happened (KUBE_SEED=${SEED})`, async () => {
  const random = new SeededRandom(SEED);
  const before = await hostSnapshot();
  const marks = await mkdtemp(join(tmpdir(), 'kube-marks-'));
  const cluster = await startNative([], ['busybox', 'nginx']);
  const host = ownHost(cluster.dataDir);
  const clients: OutsideClient[] = [];
  let counted = 0;
  const created: string[] = [];
  const complaints: string[] = [];

  const pods = async (): Promise<readonly V1Pod[]> => (JSON.parse(await cluster.kubectl('get pods -o json')) as V1PodList).items;

  /** Everything that has to hold once the cluster is there again. */
  const check = async (): Promise<void> => {
    counted = checkCounter(await cluster.kubectl('logs counter'), counted);
    for (const client of clients) complaints.push(...client.failures.splice(0).map((failure) => `request from outside: ${failure}`));
    complaints.push(...(await linesOf(`${marks}/client-failures`)).map((line) => `request from a pod: ${line}`), ...(await linesOf(`${marks}/twice`)).map((name) => `${name} ran twice at once`));
    complaints.push(...(await strays(host)).filter((line) => line.includes(' has two ')));
    let left: readonly string[] | undefined;
    await eventually(async () => {
      const starts = await startsOf(marks);
      const wrong = (await pods()).flatMap((pod) => restartsAreWrong(pod, starts.get(pod.metadata!.name!)));
      if (wrong.length > 0) throw new Error(wrong.join('; '));
      // What comes and goes with the pods of the job is not there for long.
      const now = await strays(host);
      left = left?.filter((line) => now.includes(line)) ?? now;
      if (left.length > 0) throw new Error(left.join('; '));
      return true;
    }, 'nothing is orphaned and restarts are counted right', 40_000);
    expect(complaints).toEqual([]);
  };

  try {
    await cluster.kubectl('apply -f -', { input: documents(...web()) });
    await cluster.kubectl('wait --for=condition=Available deployment/web --timeout=60s');
    await cluster.kubectl('apply -f -', { input: documents(...workloads(marks)) });
    await cluster.kubectl('wait --for=condition=Ready pod/counter pod/client --timeout=60s');
    const node = (JSON.parse(await cluster.kubectl('get nodes -o json')) as { readonly items: readonly V1Node[] }).items[0]!;
    const address = node.status!.addresses!.find(({ type }) => type === 'InternalIP')!.address;
    clients.push(new OutsideClient(`http://${address}:${await cluster.kubectl('get service web -o jsonpath={.spec.ports[0].nodePort}')}/`));
    clients.push(new OutsideClient(`http://${await cluster.kubectl('get service web -o jsonpath={.spec.clusterIP}')}/`));

    let kills = 0;
    for (let round = 0; kills < KILLS; round++) {
      const orders: Promise<unknown>[] = [cluster.kubectl('create -f -', { input: JSON.stringify(pod(`late-${round}`, markedPod(marks, 'sleep 1000'))) }).then(() => created.push(`late-${round}`))];
      if (round > 0) {
        // It may be carried out although its answer is lost: from here on nobody knows whether the pod is there.
        created.splice(0, created.length, ...created.filter((name) => name !== `late-${round - 1}`));
        orders.push(cluster.kubectl(`delete pod late-${round - 1} --ignore-not-found --wait=false`));
      }
      await pause(random.float() * MOST_AFTER_ORDERS);
      await cluster.kill();
      kills++;
      // An order that came too late is not carried out; that is the client's to see.
      await Promise.allSettled(orders);
      while (random.float() < EARLY_KILLS && kills < KILLS) {
        await startAndKill(cluster, random.float() * MOST_AFTER_START);
        kills++;
      }
      await cluster.start();
      const names = (await pods()).map((item) => item.metadata!.name!);
      for (const name of created) expect(names).toContain(name);
      await check();
    }

    await eventually(async () => (JSON.parse(await cluster.kubectl('get job batch -o json')) as V1Job).status?.succeeded === JOB_COMPLETIONS, 'the job ends', 120_000);
    expect((JSON.parse(await cluster.kubectl('get job batch -o json')) as V1Job).status?.failed ?? 0).toBe(0);
    const batch = [...(await startsOf(marks))].filter(([name]) => name.startsWith('batch-'));
    expect(batch.map(([, starts]) => starts)).toEqual(Array.from({ length: JOB_COMPLETIONS }, () => 1));
    await check();
    for (const client of clients) expect(client.answered).toBeGreaterThan(KILLS);
    for (const name of ['counter', 'client']) expect((await startsOf(marks)).get(name)).toBe(1);
    expect((await startsOf(marks)).get('crash-0')).toBeGreaterThan(2);

    await Promise.all(clients.map((client) => client.stop()));
    await cluster.kubectl('delete deployment,job,pod --all --wait=true --timeout=60s');
    await eventually(async () => (await pods()).length === 0 && (await strays(host)).length === 0, 'all pods are gone');
  } finally {
    await Promise.all(clients.map((client) => client.stop()));
    await cluster.remove();
    await rm(marks, { recursive: true, force: true });
  }
  await eventually(async () => expect(await hostSnapshot(host)).toEqual(before) === undefined, 'the host is as before', 20_000);
});

function web(): readonly unknown[] {
  const spec = { containers: [{ name: 'nginx', image: NGINX, readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 } }] };
  return [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80 }] } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec } } },
  ];
}

function pod(name: string, spec: Record<string, unknown>): unknown {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

function workloads(marks: string): readonly unknown[] {
  return [
    pod('counter', markedPod(marks, 'i=0; while true; do echo "n $i"; i=$((i+1)); usleep 50000; done')),
    pod('client', markedPod(marks, 'while true; do said=$(wget -q -O /dev/null "http://$WEB_SERVICE_HOST/" 2>&1) || echo "$(date) $said" >> /marks/client-failures; usleep 200000; done')),
    ...[0, 1, 2].map((i) => pod(`crash-${i}`, markedPod(marks, `sleep ${i + 1}; exit ${i}`))),
    { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'batch' }, spec: { completions: JOB_COMPLETIONS, parallelism: 2, backoffLimit: 0, template: { spec: markedPod(marks, 'sleep 0.5', { restartPolicy: 'Never' }) } } },
  ];
}

/** Starts the cluster's program, and kills it after a while, ready or not. */
async function startAndKill(cluster: ExecutableCluster, milliseconds: number): Promise<void> {
  const program = join(import.meta.dirname, '../../../bin/kube');
  const child = spawn(process.execPath, [program, 'run', 'all', '--data-dir', cluster.dataDir, '--secure-port', new URL(cluster.ready.server).port, '--container-runtime', 'native'], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await pause(milliseconds);
  child.kill('SIGKILL');
  await ended;
}

/** The numbers in a log follow each other, and go on beyond those that were there last time. Gives how many there are. */
function checkCounter(text: string, least: number): number {
  const lines = text.split('\n').filter((line) => line !== '');
  lines.forEach((line, i) => {
    if (line !== `n ${i}`) throw new Error(`line ${i} of the counter's log is ${JSON.stringify(line)}`);
  });
  expect(lines.length).toBeGreaterThan(least);
  return lines.length;
}

/** Says where the restarts that a pod's status tells differ from the starts that its container wrote down. */
function restartsAreWrong({ metadata, status }: V1Pod, starts: number | undefined): readonly string[] {
  const name = metadata!.name!;
  const told = status?.containerStatuses?.[0]?.restartCount;
  if (name.startsWith('web-')) return told === 0 ? [] : [`${name} was restarted ${told} times`];
  if (metadata!.deletionTimestamp) return [`${name} is still being deleted`];
  // The job goes on meanwhile: its pods may just begin.
  if (name.startsWith('batch-') && starts === undefined) return told ? [`${name} was restarted before it was started`] : [];
  if (told === undefined || starts === undefined) return [`${name} was not started`];
  return starts === told + 1 ? [] : [`${name} was started ${starts} times, and its status tells of ${told} restarts`];
}
