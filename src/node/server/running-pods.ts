import type { V1Pod } from '../../api/generated/types.js';
import type { RuntimeService } from '../runtime/index.js';

/** What runs in a runtime, as a list of pods that have no more than names, UIDs and images: the body of `/runningpods`. */
export async function runningPods(runtime: RuntimeService): Promise<{ readonly kind: 'PodList'; readonly apiVersion: 'v1'; readonly metadata: object; readonly items: readonly V1Pod[] }> {
  const [sandboxes, containers] = await Promise.all([runtime.listPodSandbox(), runtime.listContainers()]);
  const items = sandboxes
    .filter(({ state }) => state === 'ready')
    .map(({ id, metadata: { name, namespace, uid } }): V1Pod => ({
      metadata: { name, namespace, uid },
      spec: { containers: containers.filter((container) => container.sandboxId === id && container.state === 'running').map((container) => ({ name: container.name, image: container.imageRef, resources: {} })) },
      status: {},
    }));
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
}
