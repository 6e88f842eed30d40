// Native containers of this executable: how soon pods run, what commands cost, what the whole cluster holds.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { makeTestImages } from '../images/test-images.mjs';
import { Connection, requestBytes, unchunk } from './connection.mjs';
import { cpuSeconds, row, withCluster } from './process.mjs';
import { prepare } from './scenarios.mjs';
import { readTarget } from './target.mjs';

const exec = promisify(execFile);
const PODS = '/api/v1/namespaces/bench/pods';
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];

const pod = (name, more = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'bench' } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'app', image: 'kube.test/busybox:1', command: ['httpd', '-f', '-p', '80'], ...more }] },
});

/** Starts, pods one by one and a hundred at once, commands, memory and idle cost. */
export function native() {
  return withCluster(async ({ start, stop, call }) => {
    const rows = [];
    rows.push(row('native: first start until the node is ready', (await start()).startupMilliseconds, 'ms', 'less'));
    await stop();
    const later = [];
    for (let i = 0; i < 3; i++) {
      later.push((await start()).startupMilliseconds);
      if (i < 2) await stop();
    }
    rows.push(row('  later starts', quantile(later, 0.5), 'ms', 'less'));
    const status = await call('status');
    const images = await makeTestImages(fileURLToPath(new URL('../../.cache/images/', import.meta.url)), ['busybox']);
    await call('image', 'import', images.busybox.docker);
    const target = await readTarget(status.kubeconfig, 'own');
    await prepare(target);
    const connection = await Connection.open(target);
    const ask = async (method, path, body) => {
      const { body: bytes } = await connection.request(requestBytes(target, method, path, body));
      return JSON.parse(unchunk(bytes).toString());
    };
    const running = async (count) => {
      while ((await ask('GET', `${PODS}?labelSelector=app%3Dbench`)).items.filter((item) => item.status.phase === 'Running').length < count) await sleep(50);
    };
    rows.push(...(await oneByOne(ask)));
    rows.push(...(await commands(target)));
    await idleWithTen(ask, rows, status.pid, running);
    rows.push(...(await hundred(ask, target, running)));
    connection.close();
    return rows;
  }, [], 'native');
}

async function oneByOne(ask) {
  const delays = [];
  for (let i = 0; i < 30; i++) {
    const begin = performance.now();
    await ask('POST', PODS, pod(`one-${i}`));
    while ((await ask('GET', `${PODS}/one-${i}`)).status.phase !== 'Running') await sleep(5);
    delays.push(performance.now() - begin);
    if (i < 20) await ask('DELETE', `${PODS}/one-${i}`, { gracePeriodSeconds: 0 });
    await sleep(200);
  }
  return [row('pod with a present image: created until Running, p50', quantile(delays, 0.5), 'ms', 'less'), row('  p99', quantile(delays, 0.99), 'ms', 'less')];
}

async function commands(target) {
  const once = () => new Promise((resolve, reject) => {
    const begin = performance.now();
    const socket = new WebSocket(`wss://${target.host}:${target.port}${PODS}/one-29/exec?stdout=1&command=true`, ['v5.channel.k8s.io'], { ca: target.ca, cert: target.cert, key: target.key, checkServerIdentity: () => undefined });
    socket.once('close', () => resolve(performance.now() - begin));
    socket.once('error', reject);
  });
  const delays = [];
  for (let i = 0; i < 30; i++) delays.push(await once());
  return [row('exec of true, round trip, p50', quantile(delays, 0.5), 'ms', 'less')];
}

async function idleWithTen(ask, rows, pid, running) {
  await running(10);
  await sleep(15_000);
  const broker = (await readdir('/proc').then((names) => Promise.all(names.filter((name) => /^\d+$/.test(name)).map(async (name) => ((await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')).split(') ')[1]?.split(' ')[1] === String(pid) ? name : undefined))))).filter((name) => name);
  const used = async () => (await Promise.all([pid, ...broker].map((process) => cpuSeconds(process).catch(() => 0)))).reduce((sum, value) => sum + value, 0);
  const before = await used();
  await sleep(60_000);
  rows.push(row('use of a core over 60 idle seconds with ten pods', ((await used()) - before) / 0.6, '%', 'less'));
  const monitors = (await exec('pgrep', ['-x', 'conmon'])).stdout.trim().split('\n');
  const sizes = await Promise.all([pid, ...broker, ...monitors].map(async (process) => Number(/^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${process}/smaps_rollup`, 'utf8').catch(() => ''))?.[1] ?? 0)));
  rows.push(row('memory with ten pods, monitors counted', sizes.reduce((sum, size) => sum + size, 0) / 1024, 'MB', 'less'));
}

async function hundred(ask, target, running) {
  const probe = { httpGet: { path: '/', port: 80 }, periodSeconds: 1 };
  const begin = performance.now();
  for (let i = 0; i < 100; i++) await ask('POST', PODS, pod(`many-${i}`, { readinessProbe: probe, livenessProbe: probe }));
  await running(110);
  const took = performance.now() - begin;
  const other = await Connection.open(target);
  const bytes = requestBytes(target, 'GET', '/api/v1/namespaces/bench');
  const delays = [];
  for (const end = performance.now() + 20_000; performance.now() < end; await sleep(5)) {
    const asked = performance.now();
    await other.request(bytes);
    delays.push(performance.now() - asked);
  }
  other.close();
  return [
    row('100 pods of one container until all are Running', took / 1000, 's', 'less'),
    row('  small reads while 100 pods are probed each second, p99', quantile(delays, 0.99), 'ms', 'less'),
    row('  longest', Math.max(...delays), 'ms', 'less'),
  ];
}
