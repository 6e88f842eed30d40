// The server under test as a process of its own: an API server with its controllers, in memory. Tells its parent when its event loop stood still.
import { Session } from 'node:inspector/promises';
import { PerformanceObserver } from 'node:perf_hooks';
import { startCluster } from '../../dist/index.js';
import { whereTimeWent } from './profile.mjs';

const TICK_MILLISECONDS = 10;
const STALL_MILLISECONDS = 100;
/** A gap counts when this part of it was computing: the machine may have had other work. */
const OWN_SHARE = 0.7;
/** A profile is thrown away and begun anew so often. */
const PROFILE_MILLISECONDS = 5000;

const cluster = await startCluster({ nodes: 0, settings: { controllers: { controllers: ['namespace-controller', 'garbage-collector-controller'] } } });

let collections = [];
new PerformanceObserver((list) => {
  collections.push(...list.getEntries().map(({ startTime, duration }) => ({ from: startTime, duration })));
  collections = collections.slice(-200);
}).observe({ entryTypes: ['gc'] });

/** With `--profile`: what the computing time went to. */
const profiler = process.argv.includes('--profile') ? new Session() : undefined;
if (profiler) {
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.setSamplingInterval', { interval: 1000 });
  await profiler.post('Profiler.start');
}
let began = performance.now();

let last = performance.now();
let used = process.cpuUsage();
let paused = false;
setInterval(async () => {
  if (paused) return;
  const now = performance.now();
  const gap = now - last - TICK_MILLISECONDS;
  const cpu = process.cpuUsage(used);
  const busy = (cpu.user + cpu.system) / 1000;
  const stalled = gap > STALL_MILLISECONDS && busy > gap * OWN_SHARE;
  const from = last;
  if (profiler && (stalled || now - began > PROFILE_MILLISECONDS)) {
    paused = true;
    const { profile } = await profiler.post('Profiler.stop');
    const where = stalled ? whereTimeWent(profile, now - from) : undefined;
    await profiler.post('Profiler.start');
    began = performance.now();
    if (stalled) tell(gap, from, busy, where);
    paused = false;
  } else if (stalled) setImmediate(() => tell(gap, from, busy));
  last = performance.now();
  used = process.cpuUsage();
}, TICK_MILLISECONDS);

/** The collector's share is told after the observer had its turn. */
function tell(gap, from, busy, where) {
  const collected = collections.filter((one) => one.from + one.duration > from && one.from < from + gap + TICK_MILLISECONDS).reduce((sum, { duration }) => sum + duration, 0);
  process.send({ stall: gap, from: Date.now() - gap, busy, collected, where });
}

process.on('message', async () => {
  process.send({ memory: process.memoryUsage() });
  await cluster.stop();
  process.exit(0);
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true, kubeconfig: cluster.kubeconfig });
