/**
 * Why a pod does not fit, on one node or anywhere. `Unschedulable` may be cured by removing other pods; `UnschedulableAndUnresolvable` may not,
 * so that preemption skips the node. Immutable and shared: plugins keep theirs instead of making one per node.
 */
export interface Rejection {
  readonly code: 'Unschedulable' | 'UnschedulableAndUnresolvable';
  readonly reasons: readonly string[];
  readonly plugin: string;
}

/** A rejection that removing pods from the node may cure. */
export const unschedulable = (plugin: string, ...reasons: string[]): Rejection => ({ code: 'Unschedulable', reasons, plugin });

/** A rejection that preemption cannot cure. */
export const unresolvable = (plugin: string, ...reasons: string[]): Rejection => ({ code: 'UnschedulableAndUnresolvable', reasons, plugin });

/** The reasons as one text. */
export const rejectionMessage = (rejection: Rejection): string => rejection.reasons.join(', ');
