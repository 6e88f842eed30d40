import type { CancelTimer } from '../../../base/clock.js';
import type { ContainerConfig, ContainerKind, ContainerStatus, PodSandboxMetadata, PodSandboxStatus } from '../types.js';
import type { Behaviour } from './behaviour.js';
import type { Run } from './shell.js';

/** A simulated sandbox. Only what is needed is kept: there may be thousands in one process. */
export interface SimSandbox {
  readonly id: string;
  readonly metadata: PodSandboxMetadata;
  readonly annotations: Readonly<Record<string, string>>;
  readonly hostname: string;
  readonly hostNetwork: boolean;
  readonly createdAt: number;
  ready: boolean;
  /** Empty with the host's network, or once it was given back. */
  ip: string;
  /** Oldest first. */
  readonly containers: SimContainer[];
}

/** What stays of a container's configuration. */
export type SimContainerConfig = Pick<ContainerConfig, 'name' | 'attempt' | 'kind' | 'runsToCompletion' | 'image' | 'imageRef' | 'envs' | 'specHash' | 'ports'>;

/** A simulated container. */
export interface SimContainer {
  readonly id: string;
  readonly sandbox: SimSandbox;
  readonly config: SimContainerConfig;
  readonly behaviour: Behaviour;
  /** What its command does; undefined: unknown, then its kind decides. */
  readonly run: Run | undefined;
  readonly createdAt: number;
  state: 'created' | 'running' | 'exited';
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  reason: string;
  message: string;
  /** Pending end by itself. */
  cancelExit: CancelTimer | undefined;
  /** Pending end after a request to stop, or by force. */
  cancelStop: CancelTimer | undefined;
  /** When it will be killed; Infinity while nobody asked. */
  killAt: number;
  cancelReady: CancelTimer | undefined;
  waiters: (() => void)[] | undefined;
}

export function sandboxStatus(sandbox: SimSandbox): PodSandboxStatus {
  return {
    id: sandbox.id,
    metadata: sandbox.metadata,
    state: sandbox.ready ? 'ready' : 'notready',
    createdAt: sandbox.createdAt,
    ips: sandbox.ip === '' ? [] : [sandbox.ip],
    hostNetwork: sandbox.hostNetwork,
  };
}

const ROOT = { uid: 0, gid: 0, supplementalGroups: [0] } as const;

export function containerStatus(container: SimContainer, now: number): ContainerStatus {
  const { config, sandbox } = container;
  return {
    id: container.id,
    sandboxId: sandbox.id,
    podUid: sandbox.metadata.uid,
    name: config.name,
    attempt: config.attempt,
    kind: config.kind,
    state: container.state,
    createdAt: container.createdAt,
    startedAt: container.startedAt,
    finishedAt: container.finishedAt,
    exitCode: container.exitCode,
    image: config.image,
    imageRef: config.imageRef,
    reason: container.reason,
    message: container.message,
    specHash: config.specHash,
    user: ROOT,
    ready: container.state === 'running' && isReady(container, now),
  };
}

/** Whether its readiness latency is over and it is not told to stay unready. */
export function isReady(container: SimContainer, now: number): boolean {
  const { behaviour, config } = container;
  if (behaviour.fail.has('Readiness') && config.attempt < behaviour.failTimes) return false;
  return now >= container.startedAt + behaviour.readyMilliseconds;
}

/** Containers of these kinds end by themselves unless told otherwise. */
export function endsByItself(config: { readonly kind: ContainerKind; readonly runsToCompletion: boolean }): boolean {
  return config.kind === 'init' || (config.kind === 'regular' && config.runsToCompletion);
}
