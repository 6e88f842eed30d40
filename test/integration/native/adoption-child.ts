import { testContainer, testSandbox } from '../../../src/node/runtime/testsuite/contract.js';
import type { NodeHost } from '../../../src/node/host.js';
import { startNative } from './native-under-test.js';

/** Runs a runtime over the given folders and starts containers in it, one a second command line argument, until it is killed. Prints the ids of the pod and of the containers. */
const host = JSON.parse(process.argv[2]!) as NodeHost;
const scripts = JSON.parse(process.argv[3]!) as readonly string[];
const under = await startNative({ host });
const ref = await under.runtime.images.pullImage('test/busybox:1');
const config = testSandbox('adopted', { cgroupParent: '/besteffort/podadopted' });
const sandbox = await under.runtime.containers.runPodSandbox(config);
const ids: string[] = [];
for (const [index, script] of scripts.entries()) {
  const id = await under.runtime.containers.createContainer(sandbox, testContainer('test/busybox:1', ['sh', '-c', script], { name: `c${index}`, imageRef: ref }), config);
  ids.push(id);
  if (script !== 'never') await under.runtime.containers.startContainer(id);
}
process.stdout.write(`${JSON.stringify({ sandbox, ids })}\n`);
// Again and again, so that the kill meets any of the steps.
for (let round = 0; process.argv[4] === 'churn'; round++) {
  const churned = testSandbox(`churn-${round}`, { cgroupParent: `/burstable/podchurn-${round}`, shareProcessNamespace: round % 2 === 1 });
  const id = await under.runtime.containers.runPodSandbox(churned);
  const container = await under.runtime.containers.createContainer(id, testContainer('test/busybox:1', ['sh', '-c', 'echo ran; sleep 1000'], { imageRef: ref }), churned);
  await under.runtime.containers.startContainer(container);
  if (round % 3 !== 0) await under.runtime.containers.removePodSandbox(id);
}
setInterval(() => undefined, 1000);
