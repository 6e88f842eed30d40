import type { PodInfo } from '../cache/pod-info.js';
import type { Profile } from '../framework/profile.js';

/** A pod that waits for a node, with the history of its attempts. Times are monotonic milliseconds. */
export interface QueuedPod {
  info: PodInfo;
  readonly profile: Profile;
  /** Order of arrival, to break ties of time. */
  readonly sequence: number;
  /** When it entered the queue, or failed last. */
  timestamp: number;
  attempts: number;
  /** When it first became ready for an attempt. */
  initialAttempt: number | undefined;
  /** Attempts that ended with "fits nowhere"; back-off grows with them. */
  unschedulableCount: number;
  /** Attempts in a row that ended with an error; back-off grows with them instead while there are any. */
  consecutiveErrors: number;
  backoffExpiration: number | undefined;
  /** Plugins that rejected it in the last attempt. */
  readonly rejectors: Set<string>;
  /** The plugin that keeps it from being tried; empty: none. */
  gatingPlugin: string;
  /** It was moved only because it had waited for five minutes. */
  flushed: boolean;
}

export function queuedPod(info: PodInfo, profile: Profile, sequence: number, now: number): QueuedPod {
  return {
    info,
    profile,
    sequence,
    timestamp: now,
    attempts: 0,
    initialAttempt: undefined,
    unschedulableCount: 0,
    consecutiveErrors: 0,
    backoffExpiration: undefined,
    rejectors: new Set(),
    gatingPlugin: '',
    flushed: false,
  };
}

/** PrioritySort: higher priority first, then longer in the queue. */
export function prioritySort(a: QueuedPod, b: QueuedPod): boolean {
  if (a.info.priority !== b.info.priority) return a.info.priority > b.info.priority;
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp;
  return a.sequence < b.sequence;
}

export const uidOf = (pod: QueuedPod): string => pod.info.uid;
