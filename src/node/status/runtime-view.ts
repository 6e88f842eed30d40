import type { ContainerStatus, PodSandboxStatus, RuntimeService } from '../runtime/index.js';

/** What the runtime knows of one pod. */
export interface PodRuntimeView {
  /** Newest first. */
  readonly sandboxes: readonly PodSandboxStatus[];
  /** Newest first, of all sandboxes. */
  readonly containers: readonly ContainerStatus[];
  /** The newest sandbox, when it is ready. */
  readonly readySandbox: PodSandboxStatus | undefined;
}

export const EMPTY_VIEW: PodRuntimeView = { sandboxes: [], containers: [], readySandbox: undefined };

export async function readPodView(runtime: RuntimeService, podUid: string): Promise<PodRuntimeView> {
  const [sandboxes, containers] = await Promise.all([runtime.listPodSandbox({ podUid }), runtime.listContainers({ podUid })]);
  const newest = sandboxes[0];
  return { sandboxes, containers, readySandbox: newest?.state === 'ready' ? newest : undefined };
}

/** The newest instance of a container. */
export function newestContainer(view: PodRuntimeView, name: string): ContainerStatus | undefined {
  for (const container of view.containers) if (container.name === name) return container;
  return undefined;
}

/** The newest instance of a container in the sandbox that is ready now. */
export function activeContainer(view: PodRuntimeView, name: string): ContainerStatus | undefined {
  const newest = newestContainer(view, name);
  return newest && newest.sandboxId === view.readySandbox?.id ? newest : undefined;
}
