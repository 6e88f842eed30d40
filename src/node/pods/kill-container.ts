import type { V1Container, V1Pod } from '../../api/generated/types.js';
import { sleep } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { NodeContext } from './node-context.js';
import { runHook } from './hooks.js';
import type { KillReason } from './plan.js';

/** Containers always get this long, whatever was asked for. */
const MINIMUM_GRACE_SECONDS = 2;
/** Of a pod that was never given a grace period. */
const DEFAULT_GRACE_SECONDS = 30;

export interface KillRequest {
  readonly node: NodeContext;
  readonly pod: V1Pod;
  readonly container: V1Container;
  readonly containerId: string;
  /** Of the event; empty: upstream's usual one. */
  readonly message: string;
  readonly reason: KillReason;
  /** Overrides the pod's grace period. */
  readonly graceSeconds?: number | undefined;
  /** Resolves when it is this container's turn to end, within so many milliseconds. */
  readonly turn?: (milliseconds: number) => Promise<void>;
}

/** The grace period of a pod's container, in seconds. */
export function gracePeriod(pod: V1Pod, container: V1Container, reason: KillReason): number {
  if (pod.metadata?.deletionGracePeriodSeconds !== undefined) return pod.metadata.deletionGracePeriodSeconds;
  const ofProbe = reason === 'startup' ? container.startupProbe : reason === 'liveness' ? container.livenessProbe : undefined;
  return ofProbe?.terminationGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
}

/** Ends a container gracefully: the event, the preStop hook, its turn, then the runtime. Resolves once it has exited. */
export async function killContainer(request: KillRequest): Promise<void> {
  const { node, pod, container, containerId } = request;
  let left = (request.graceSeconds ?? gracePeriod(pod, container, request.reason)) * 1000;
  node.events.container(pod, container.name, 'Normal', 'Killing', request.message === '' ? `Stopping container ${container.name}` : request.message);
  const spend = async (work: Promise<void>): Promise<void> => {
    const begun = node.clock.monotonic();
    await work;
    left -= node.clock.monotonic() - begun;
  };
  const hook = container.lifecycle?.preStop;
  if (hook && left > 0) {
    const podIp = pod.status?.podIP ?? node.hostIps[0] ?? '';
    const done = runHook(node, { pod, container, containerId, podIp }, hook, 'preStop').catch((error: unknown) => {
      node.log.debug('preStop hook failed', { pod: pod.metadata?.name, container: container.name, error: errorMessage(error) });
      node.events.container(pod, container.name, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
    });
    await spend(limited(node, done, left));
  }
  if (request.turn && left > 0) await spend(request.turn(left));
  await node.runtime.containers.stopContainer(containerId, Math.max(MINIMUM_GRACE_SECONDS, Math.floor(left / 1000)));
}

async function limited(node: NodeContext, work: Promise<void>, milliseconds: number): Promise<void> {
  const stop = new AbortController();
  await Promise.race([work, sleep(node.clock, milliseconds, stop.signal)]);
  stop.abort();
}
