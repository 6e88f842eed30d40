import type { V1Pod } from '../../api/generated/types.js';
import { errorMessage } from '../../base/errors.js';
import { readPodView } from '../status/runtime-view.js';
import { killContainers, stopSandboxes } from './kill-pod.js';
import type { NodeContext } from './node-context.js';

/** From here on (`system-cluster-critical`) pods serve others, so they end last. */
const CRITICAL_PRIORITY = 2_000_000_000;
/** Of the time that is left, the part that ordinary pods may take. */
const ORDINARY_PART = 2 / 3;

/** Ends all containers of pods, critical pods after all others. A failure with one pod is logged and stops nothing. */
export async function endPods(node: NodeContext, pods: readonly V1Pod[], deadlineMilliseconds: number): Promise<void> {
  const end = node.clock.monotonic() + deadlineMilliseconds;
  const critical = (pod: V1Pod): boolean => (pod.spec?.priority ?? 0) >= CRITICAL_PRIORITY;
  const last = pods.filter(critical);
  await endGroup(node, pods.filter((pod) => !critical(pod)), last.length > 0 ? deadlineMilliseconds * ORDINARY_PART : deadlineMilliseconds);
  await endGroup(node, last, Math.max(0, end - node.clock.monotonic()));
}

async function endGroup(node: NodeContext, pods: readonly V1Pod[], milliseconds: number): Promise<void> {
  await Promise.all(
    pods.map(async (pod) => {
      try {
        const view = await readPodView(node.runtime.containers, pod.metadata?.uid ?? '');
        const own = pod.metadata?.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 30;
        await killContainers({ node, pod, view, graceSeconds: Math.min(own, Math.floor(milliseconds / 1000)) });
        await stopSandboxes(node, view);
      } catch (error) {
        node.log.warn('pod not ended', { pod: `${pod.metadata?.namespace}/${pod.metadata?.name}`, error: errorMessage(error) });
      }
    }),
  );
}
