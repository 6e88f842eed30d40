import type { V1Pod } from '../../api/generated/types.js';
import type { PodSandboxStatus } from '../runtime/index.js';
import type { PodProbes } from '../probes/pod-probes.js';
import type { WaitingReason } from '../status/container-statuses.js';
import type { PodRuntimeView } from '../status/runtime-view.js';
import type { BackoffTable } from './backoff.js';
import type { NodeContext } from './node-context.js';
import type { PodPlan } from './plan.js';

/** One pass over a pod, as the steps see it. */
export interface PodRun {
  readonly node: NodeContext;
  readonly pod: V1Pod;
  readonly probes: PodProbes;
  readonly backoff: BackoffTable;
  /** What the runtime knew at the beginning of the pass. */
  readonly view: PodRuntimeView;
  readonly plan: PodPlan;
  /** Why containers could not be started, by name; kept for the status. */
  readonly reasons: Map<string, WaitingReason>;
  /** The sandbox in which containers are started; set by the sandbox step. */
  sandbox: PodSandboxStatus | undefined;
  /** True once the pod is to end: nothing new is begun. */
  readonly ending: () => boolean;
  /** Aborted as soon as the pod is deleted, removed or evicted: nothing that may take long is waited for any more. */
  readonly ends: AbortSignal;
  /** Asks for another pass after so many milliseconds at the latest. */
  readonly wake: (milliseconds: number) => void;
  /** Has what the runtime knows by now reported, should the pass take longer. */
  readonly refresh: () => void;
}

/** The end of a pod, as the steps see it. */
export interface PodEnd {
  readonly node: NodeContext;
  readonly pod: V1Pod;
  readonly view: PodRuntimeView;
  /** Seconds that containers get; may shrink while it goes on. Undefined: as the pod's spec says. */
  readonly graceSeconds: () => number | undefined;
  /** Calls back when {@link graceSeconds} has shrunk; returns a function that ends it. */
  readonly onShorterGrace: (listener: () => void) => () => void;
}

/**
 * One ordered step of a pod's life. `prepare` runs in order on every pass and is idempotent; it throws to end the pass (it is
 * tried again with back-off). `teardown` runs in reverse order when the pod ends, and is safe without a `prepare` before it.
 */
export interface PodStep {
  readonly name: string;
  prepare(run: PodRun): Promise<void>;
  teardown(end: PodEnd): Promise<void>;
}
