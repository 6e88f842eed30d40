import { errorMessage } from '../../base/errors.js';
import type { NodeContext } from './node-context.js';

/** Grace of containers whose pod was deleted while nobody looked, in seconds. */
const GRACE_SECONDS = 2;

/** Ends and removes what runs for pods that the API does not have any more. A failure with one of them is logged and stops nothing. */
export async function removeOrphans(node: NodeContext, known: ReadonlySet<string>): Promise<void> {
  const runtime = node.runtime.containers;
  const orphans = (await runtime.listPodSandbox()).filter((sandbox) => !known.has(sandbox.metadata.uid));
  await Promise.all(
    orphans.map(async (sandbox) => {
      try {
        const containers = await runtime.listContainers({ podUid: sandbox.metadata.uid });
        await Promise.all(containers.filter((container) => container.sandboxId === sandbox.id && container.state === 'running').map((container) => runtime.stopContainer(container.id, GRACE_SECONDS)));
        await runtime.removePodSandbox(sandbox.id);
      } catch (error) {
        node.log.warn('what a deleted pod left cannot be removed', { pod: `${sandbox.metadata.namespace}/${sandbox.metadata.name}`, error: errorMessage(error) });
      }
    }),
  );
  await node.volumes.collect(known).catch((error: unknown) => node.log.warn('volumes of deleted pods cannot be removed', { error: errorMessage(error) }));
}
