import type { V1Pod } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { Snapshot } from '../cache/snapshot.js';
import type { EventResource } from './cluster-event.js';
import type { Diagnosis } from './fit-error.js';
import type { PodCycle } from './pod-cycle.js';
import type { Rejection } from './rejection.js';

/** Says whether a change may cure this plugin's rejection of `pod`. `before` is absent for additions, `after` for deletions. Throwing counts as yes. */
export type QueueingHint = (pod: V1Pod, before: KubeObject | undefined, after: KubeObject | undefined) => boolean;

/** Events after which a pod that this plugin rejected is worth another try. */
export interface EventInterest {
  readonly resource: EventResource;
  /** Bits of `Action`. */
  readonly actions: number;
  /** Default: always worth it. */
  readonly hint?: QueueingHint;
}

/**
 * A part of the scheduler's policy. What it does at each stage is told by which of the interfaces below it implements. Rejections are returned;
 * throwing means an internal error, after which the pod is tried again with back-off.
 */
export interface Plugin {
  /** Upstream's name: it appears in configuration, metrics and messages. */
  readonly name: string;
  readonly interests?: readonly EventInterest[];
}

/** Keeps pods out of the active queue. */
export interface PreEnqueuePlugin extends Plugin {
  preEnqueue(pod: V1Pod): Rejection | undefined;
}

/** Tells which nodes a pod fits on. A pure function of pod and snapshot. */
export interface FilterPlugin extends Plugin {
  /** The work that is the same for all nodes. Undefined: nothing to say about this pod. A rejection holds for all nodes. */
  prepareFilter(pod: PodInfo, snapshot: Snapshot): NodeFilter | Rejection | undefined;
}

/** A filter made for one pod. */
export interface NodeFilter {
  /** `position` is that in the snapshot; the node may be a changed copy of the snapshot's (preemption, nominated pods). */
  filter(node: NodeInfo, position: number): Rejection | undefined;
  /** Only these nodes are worth looking at. */
  readonly nodeNames?: ReadonlySet<string>;
  /** Present when the filter has counts over pods: a copy that can be told of pods that come and go. */
  fork?(): ForkedFilter;
}

/** A filter's copy for what-if questions. */
export interface ForkedFilter extends NodeFilter {
  /** A pod appears on (`1`) or disappears from (`-1`) a node. */
  change(pod: PodInfo, node: NodeInfo, position: number, sign: 1 | -1): void;
}

/** Tells how good nodes are. A pure function of pod, candidates and snapshot. */
export interface ScorePlugin extends Plugin {
  /** `nodes` are positions in the snapshot. Undefined: all nodes are equal. */
  prepareScore(pod: PodInfo, snapshot: Snapshot, nodes: Int32Array, cycle: PodCycle): NodeScorer | undefined;
}

/** A scorer made for one pod. */
export interface NodeScorer {
  score(node: NodeInfo, position: number): number;
  /** Turns raw scores into 0 to 100, in place; `nodes` are positions. Absent: they are that already. */
  normalize?(scores: Float64Array, nodes: Int32Array): void;
}

/** What a {@link PostFilterPlugin} achieved. */
export interface PostFilterResult {
  /** Node nominated for the pod; empty clears an earlier nomination, undefined leaves it alone. */
  readonly nominatedNode: string | undefined;
  /** Text for the message; empty on success. */
  readonly message: string;
  readonly success: boolean;
}

/** Runs when no node fits, to make room. */
export interface PostFilterPlugin extends Plugin {
  postFilter(cycle: PodCycle, diagnosis: Diagnosis): PostFilterResult | Promise<PostFilterResult>;
}

/** Keeps books beside the cache once a node is chosen. */
export interface ReservePlugin extends Plugin {
  reserve(cycle: PodCycle, nodeName: string): Rejection | undefined;
  /** Takes everything back; also called when `reserve` was not, or failed. */
  unreserve(cycle: PodCycle, nodeName: string): void;
}

/** Does what has to be done before the pod is bound, such as binding volumes. */
export interface PreBindPlugin extends Plugin {
  /** False: {@link preBind} has nothing to do. */
  needsPreBind(cycle: PodCycle, nodeName: string): boolean;
  preBind(cycle: PodCycle, nodeName: string, signal: AbortSignal): Promise<void>;
}

/** Tells the API server the node. */
export interface BindPlugin extends Plugin {
  bind(pod: PodInfo, nodeName: string): Promise<void>;
}

/** Default normalisation: the highest raw score becomes 100, or 0 when `reverse`. */
export function normalizeByMaximum(scores: Float64Array, reverse: boolean): void {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  for (let i = 0; i < scores.length; i++) {
    const scaled = highest === 0 ? 0 : Math.trunc((MAX_NODE_SCORE * scores[i]!) / highest);
    scores[i] = reverse ? MAX_NODE_SCORE - scaled : scaled;
  }
}

/** Highest score that a plugin gives a node, before weights. */
export const MAX_NODE_SCORE = 100;
