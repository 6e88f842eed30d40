import type { V1Container, V1Pod } from '../../api/generated/types.js';
import { isSidecar } from '../../api/helpers/pod-containers.js';
import { sleep } from '../../base/clock.js';
import type { ContainerStatus } from '../runtime/index.js';
import type { PodRuntimeView } from '../status/runtime-view.js';
import { containerSpec } from './container-kind.js';
import { killContainer } from './kill-container.js';
import type { NodeContext } from './node-context.js';

export interface KillPodRequest {
  readonly node: NodeContext;
  readonly pod: V1Pod;
  readonly view: PodRuntimeView;
  /** Overrides the pod's own. */
  readonly graceSeconds?: number | undefined;
}

/**
 * Ends all running containers of a pod at the same time; sidecars, however, only after all others, and in the reverse of
 * the order in which they were started.
 */
export async function killContainers({ node, pod, view, graceSeconds }: KillPodRequest): Promise<void> {
  const running = view.containers.filter((status) => status.state === 'running');
  const order = new TerminationOrder(node, pod, running);
  await Promise.all(
    running.map(async (status) => {
      const container: V1Container = containerSpec(pod, status.name) ?? { name: status.name };
      await killContainer({ node, pod, container, containerId: status.id, message: '', reason: 'other', graceSeconds, turn: (milliseconds) => order.turn(status.name, milliseconds) });
      order.ended(status.name);
    }),
  );
}

/** Stops every sandbox that is still ready. */
export async function stopSandboxes(node: NodeContext, view: PodRuntimeView): Promise<void> {
  for (const sandbox of view.sandboxes) if (sandbox.state === 'ready') await node.runtime.containers.stopPodSandbox(sandbox.id);
}

/** Who waits for whom. */
class TerminationOrder {
  private readonly running: Set<string>;
  private readonly before = new Map<string, readonly string[]>();
  private waiters: (() => void)[] = [];

  constructor(
    private readonly node: NodeContext,
    pod: V1Pod,
    running: readonly ContainerStatus[],
  ) {
    this.running = new Set(running.map((status) => status.name));
    const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
    const regular = (pod.spec?.containers ?? []).map(({ name }) => name);
    sidecars.forEach((name, index) => this.before.set(name, [...regular, ...sidecars.slice(index + 1)]));
  }

  async turn(name: string, milliseconds: number): Promise<void> {
    const before = this.before.get(name);
    if (!before?.some((other) => this.running.has(other))) return;
    const stop = new AbortController();
    const cleared = new Promise<void>((resolve) => {
      const check = (): void => {
        if (before.some((other) => this.running.has(other))) this.waiters.push(check);
        else resolve();
      };
      this.waiters.push(check);
    });
    await Promise.race([cleared, sleep(this.node.clock, milliseconds, stop.signal)]);
    stop.abort();
  }

  ended(name: string): void {
    this.running.delete(name);
    for (const waiter of this.waiters.splice(0)) waiter();
  }
}
