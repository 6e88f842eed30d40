// Start-up, memory and idle cost of this executable itself, from the operating system's own counters.
import { execFile } from 'node:child_process';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Connection, requestBytes } from './connection.mjs';
import { readTarget } from './target.mjs';
import { prepare, SCENARIOS } from './scenarios.mjs';

const kube = fileURLToPath(new URL('../../bin/kube', import.meta.url));
const exec = promisify(execFile);
export const row = (name, value, unit, better) => ({ name, value, unit, better });

export async function withCluster(use, flags = [], runtime = 'sim') {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-bench-'));
  const call = async (...args) => JSON.parse((await exec(process.execPath, [kube, ...args, '--data-dir', dataDir, '-o', 'json'], { maxBuffer: 1 << 26 })).stdout);
  const start = () => call('run', 'all', '--detach', '--secure-port', '0', '--container-runtime', runtime, ...flags);
  try {
    return await use({ start, stop: () => call('stop'), call });
  } finally {
    await call('reset', '--yes').catch(() => undefined);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function memory(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
}

export async function cpuSeconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** First and later starts, from the executable's own clock and from outside. */
export function startUp() {
  return withCluster(async ({ start, stop }) => {
    const first = await start();
    await stop();
    const times = [];
    for (let i = 0; i < 5; i++) {
      const begin = performance.now();
      const ready = await start();
      times.push({ outside: performance.now() - begin, inside: ready.startupMilliseconds });
      await stop();
    }
    const median = (key) => times.map((time) => time[key]).sort((a, b) => a - b)[2];
    return [
      row('first start until everything is ready', first.startupMilliseconds, 'ms', 'less'),
      row('later starts until everything is ready', median('inside'), 'ms', 'less'),
      row('  as seen by the caller of --detach', median('outside'), 'ms', 'less'),
    ];
  });
}

/** Memory with ten pods, use of a core over 60 idle seconds, memory after 5,000 pods. */
export function idle() {
  return withCluster(async ({ start }) => {
    const ready = await start();
    const target = await readTarget(ready.kubeconfig, 'own');
    await prepare(target);
    await SCENARIOS.running(target, 10 / 500);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const before = await cpuSeconds(ready.pid);
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    const after = await cpuSeconds(ready.pid);
    const small = await memory(ready.pid);
    await SCENARIOS.pods(target, 1);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    return [
      row('memory with ten pods', small, 'MB', 'less'),
      row('use of a core over 60 idle seconds', ((after - before) / 60) * 100, '%', 'less'),
      row('memory after 5,000 pods', await memory(ready.pid), 'MB', 'less'),
    ];
  });
}

/** 1,000 nodes, and 5,000 pods of Deployments until they run; meanwhile single objects are read, whose delays are counted. */
export function scale() {
  return withCluster(async ({ start }) => {
    const ready = await start();
    const target = await readTarget(ready.kubeconfig, 'own');
    await prepare(target);
    const connection = await Connection.open(target);
    const delays = [];
    let done = false;
    const reading = (async () => {
      const bytes = requestBytes(target, 'GET', '/api/v1/namespaces/bench/serviceaccounts/default');
      while (!done) {
        const begin = performance.now();
        await connection.request(bytes);
        delays.push(performance.now() - begin);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    const rows = await SCENARIOS.running(target, 10);
    done = true;
    await reading;
    connection.close();
    delays.sort((a, b) => a - b);
    return [
      row('1,000 nodes: start until all are ready', ready.startupMilliseconds, 'ms', 'less'),
      ...rows,
      row('  reads meanwhile, p50', delays[Math.floor(delays.length * 0.5)], 'ms', 'less'),
      row('  reads meanwhile, p99', delays[Math.floor(delays.length * 0.99)], 'ms', 'less'),
      row('  memory afterwards', await memory(ready.pid), 'MB', 'less'),
    ];
  }, ['--simulated-nodes', '1000']);
}
