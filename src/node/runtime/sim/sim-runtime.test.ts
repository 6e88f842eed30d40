import { FakeClock } from '../../../base/clock.js';
import { SeededRandom } from '../../../base/random.js';
import type { NodeRuntime } from '../runtime.js';
import { runtimeContract, testContainer, testSandbox } from '../testsuite/contract.js';
import { createSimRuntime, SimWorld } from './index.js';

function make(): { readonly runtime: NodeRuntime; readonly clock: FakeClock } {
  const clock = new FakeClock();
  return { clock, runtime: createSimRuntime(new SimWorld(clock, new SeededRandom(3))) };
}

runtimeContract({
  name: 'sim',
  assignsAddresses: true,
  exec: true,
  attach: true,
  portForward: true,
  image: 'busybox:1.36',
  make: () => {
    const { runtime, clock } = make();
    return { runtime, pass: (milliseconds) => clock.advance(milliseconds), close: () => Promise.resolve() };
  },
});

test.each([
  [{ 'sim.kube.dev/exit-code': '7', 'sim.kube.dev/exit-after': '2s' }, { state: 'exited', exitCode: 7, reason: 'Error' }],
  [{ 'sim.kube.dev/exit-after': '10s', 'sim.kube.dev/app.exit-after': '2s' }, { state: 'exited', exitCode: 0, reason: 'Completed' }],
  [{ 'sim.kube.dev/crash-loop': 'true' }, { state: 'exited', exitCode: 1 }],
  [{ 'sim.kube.dev/oom-kill': 'true' }, { state: 'exited', exitCode: 137, reason: 'OOMKilled' }],
  [{ 'sim.kube.dev/termination-message': 'bye', 'sim.kube.dev/exit-after': '1s' }, { state: 'exited', message: 'bye' }],
  [{ 'sim.kube.dev/ready-latency': '10s' }, { state: 'running', ready: false }],
  [{ 'sim.kube.dev/ready-latency': '1s' }, { state: 'running', ready: true }],
  [{ 'sim.kube.dev/fail': 'Readiness' }, { state: 'running', ready: false }],
  [{}, { state: 'running', ready: true }],
])('annotations %j', async (annotations, expected) => {
  const { runtime, clock } = make();
  const config = testSandbox('a', { annotations });
  const sandbox = await runtime.containers.runPodSandbox(config);
  const id = await runtime.containers.createContainer(sandbox, testContainer('nginx', []), config);
  await runtime.containers.startContainer(id);
  await clock.advance(3000);
  expect(await runtime.containers.containerStatus(id)).toMatchObject(expected);
});

test('a bad annotation is said, with its name and value', async () => {
  const { runtime } = make();
  await expect(runtime.containers.runPodSandbox(testSandbox('a', { annotations: { 'sim.kube.dev/start-latency': 'soon' } }))).rejects.toThrow('annotation sim.kube.dev/start-latency: "soon" is not a duration');
});

test('containers of Jobs end by themselves, others run on; both log meanwhile', async () => {
  const { runtime, clock } = make();
  const config = testSandbox('a');
  const sandbox = await runtime.containers.runPodSandbox(config);
  const job = await runtime.containers.createContainer(sandbox, testContainer('pi', [], { name: 'job', runsToCompletion: true }), config);
  const web = await runtime.containers.createContainer(sandbox, testContainer('nginx', [], { ports: [80] }), config);
  for (const id of [job, web]) await runtime.containers.startContainer(id);
  await clock.advance(25_000);
  expect((await runtime.containers.containerStatus(job)).exitCode).toBe(0);
  expect((await runtime.containers.containerStatus(web)).state).toBe('running');
  let log = '';
  for await (const chunk of runtime.containers.containerLogs(web, { follow: false, timestamps: false, signal: new AbortController().signal })) log += chunk.toString();
  expect(log.split('\n')).toHaveLength(5);
});

test('five thousand pods take little memory', async () => {
  const { runtime } = make();
  const before = process.memoryUsage().heapUsed;
  await runtime.containers.updateRuntimeConfig({ podCidr: '10.0.0.0/16' });
  for (let i = 0; i < 5000; i++) {
    const config = testSandbox(String(i));
    const sandbox = await runtime.containers.runPodSandbox(config);
    await runtime.containers.startContainer(await runtime.containers.createContainer(sandbox, testContainer('nginx', []), config));
  }
  expect((process.memoryUsage().heapUsed - before) / 5000).toBeLessThan(20_000);
});
