// The server under test as a process of its own: an API server with its controllers, in memory. Tells its parent when its event loop stood still.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { PerformanceObserver } from 'node:perf_hooks';
import { startCluster } from '../../dist/index.js';
import { whereTimeWent } from './profile.mjs';

const TICK_MILLISECONDS = 10;
const STALL_MILLISECONDS = 100;
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

/** How long the thread of the event loop has computed, and has waited for a processor while others had it, in milliseconds: the kernel's figures. */
function threadTimes() {
  const [computed, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
  return { computed: computed / 1e6, waited: waited / 1e6 };
}

let last = performance.now();
let then = threadTimes();
let paused = false;
setInterval(async () => {
  if (paused) return;
  const now = performance.now();
  const { computed, waited } = threadTimes();
  // What others on the machine took is not a stall of ours.
  const gap = now - last - TICK_MILLISECONDS - (waited - then.waited);
  const busy = computed - then.computed;
  const from = last;
  const stalled = gap > STALL_MILLISECONDS;
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
  then = threadTimes();
}, TICK_MILLISECONDS);

/** The collector's share is told after the observer had its turn. Its helper threads are waited for, however long others keep the processors from them: that does not count. */
function tell(gap, from, busy, where) {
  const collected = collections.filter((one) => one.from + one.duration > from && one.from < from + gap + TICK_MILLISECONDS).reduce((sum, { duration }) => sum + duration, 0);
  if (busy > STALL_MILLISECONDS || gap - busy - collected > STALL_MILLISECONDS) process.send({ stall: gap, from: Date.now() - gap, busy, collected, where });
}

process.on('message', async () => {
  process.send({ memory: process.memoryUsage() });
  await cluster.stop();
  process.exit(0);
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true, kubeconfig: cluster.kubeconfig });
