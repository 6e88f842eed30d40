// The server under test as a process of its own: an API server with its controllers, in memory. Tells its parent when its event loop stood still.
import { startCluster } from '../../dist/index.js';

const TICK_MILLISECONDS = 10;
const STALL_MILLISECONDS = 100;
/** A gap counts when this part of it was computing: the machine may have had other work. */
const OWN_SHARE = 0.7;

const cluster = await startCluster({ nodes: 0, settings: { controllers: { controllers: ['namespace-controller', 'garbage-collector-controller'] } } });
let last = performance.now();
let used = process.cpuUsage();
setInterval(() => {
  const now = performance.now();
  const gap = now - last - TICK_MILLISECONDS;
  const cpu = process.cpuUsage(used);
  const busy = (cpu.user + cpu.system) / 1000;
  if (gap > STALL_MILLISECONDS && busy > gap * OWN_SHARE) process.send({ stall: gap, from: Date.now() - gap, busy });
  last = now;
  used = process.cpuUsage();
}, TICK_MILLISECONDS);
process.on('message', async () => {
  process.send({ memory: process.memoryUsage() });
  await cluster.stop();
  process.exit(0);
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true, kubeconfig: cluster.kubeconfig });
