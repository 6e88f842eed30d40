import type { DataDirectory } from './data-directory.js';
import type { StopRequest } from './stop-request.js';

/** Longest time that pods get to end when the cluster stops; their own grace periods may be shorter. */
const END_PODS_MILLISECONDS = 30_000;

/** How much time native containers get when their node stops; undefined when they go on. What is asked for goes before what the node was told at its start. */
export function howToEndPods(request: StopRequest, keepPods: boolean): { readonly deadlineMilliseconds: number } | undefined {
  if (request.keepPods ?? keepPods) return undefined;
  return { deadlineMilliseconds: Math.min(END_PODS_MILLISECONDS, (request.graceSeconds ?? Infinity) * 1000) };
}

/** Tells a person whose native containers go on what can be done with them. */
export function podsGoOn(directory: DataDirectory): string {
  return `pods go on: the next start with --data-dir ${directory.path} takes them up again, "kube reset --data-dir ${directory.path}" ends them`;
}
