import { rm } from 'node:fs/promises';
import { SystemClock } from '../../../src/base/clock.js';
import { silentLogger } from '../../../src/base/log.js';
import { listHostObjects, removeHostObjects } from '../../../src/node/runtime/native/index.js';
import { testContainer, testSandbox } from '../../../src/node/runtime/testsuite/contract.js';
import { startNative, type NativeUnderTest } from './native-under-test.js';

async function withPod(): Promise<NativeUnderTest> {
  const under = await startNative();
  const ref = await under.runtime.images.pullImage('test/busybox:1');
  const config = testSandbox('u', { cgroupParent: '/burstable/podu', shareProcessNamespace: true });
  const sandbox = await under.runtime.containers.runPodSandbox(config);
  const id = await under.runtime.containers.createContainer(sandbox, testContainer('x', ['sleep', '1000'], { imageRef: ref }), config);
  await under.runtime.containers.startContainer(id);
  return under;
}

test('all of a cluster is found and removed, also without its state, and nothing of another', async () => {
  const [mine, other] = await Promise.all([withPod(), withPod()]);
  await mine.runtime.containers.stop!();
  const before = await listHostObjects(other.host);
  expect(new Set(before.map((item) => item.kind))).toEqual(new Set(['process', 'mount', 'cgroup', 'file']));
  // Two monitors, the pause container and the other one.
  expect(before.filter((item) => item.kind === 'process')).toHaveLength(4);
  await rm(mine.host.stateFolder, { recursive: true, force: true });
  const tools = { commands: mine.commands, clock: new SystemClock(), log: silentLogger };
  expect((await listHostObjects(mine.host)).filter((item) => item.kind === 'process')).toHaveLength(4);
  expect(await removeHostObjects(mine.host, tools)).toEqual([]);
  expect(await removeHostObjects(mine.host, tools)).toEqual([]);
  expect(await listHostObjects(mine.host)).toEqual([]);
  expect(await listHostObjects(other.host)).toEqual(before);
  expect(await mine.close()).toEqual([]);
  expect(await other.close()).toEqual([]);
});
