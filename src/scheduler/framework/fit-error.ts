import type { Rejection } from './rejection.js';

/** What a failed scheduling attempt found out. */
export interface Diagnosis {
  /** Number of nodes in the snapshot. */
  readonly nodeCount: number;
  /** Rejections of nodes that were looked at. */
  readonly nodes: ReadonlyMap<string, Rejection>;
  /** Holds for every node without an entry in {@link nodes}. */
  readonly absent: Rejection | undefined;
  /** Text of a rejection before any node was looked at; the nodes are then not counted one by one. */
  readonly preFilterMessage: string;
  /** What preemption and the like had to say. */
  postFilterMessage: string;
  /** Plugins that rejected something; wake-ups are chosen by them. */
  readonly rejectors: Set<string>;
}

/** The rejection that holds for one node; undefined when there is none (also for a name that is empty or unknown and no default is set). */
export function nodeRejection(diagnosis: Diagnosis, nodeName: string): Rejection | undefined {
  return diagnosis.nodes.get(nodeName) ?? diagnosis.absent;
}

/**
 * The message of the `FailedScheduling` event and of the `PodScheduled` condition:
 * `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). preemption: …`. Clients match on this wording.
 */
export function fitErrorMessage(diagnosis: Pick<Diagnosis, 'nodeCount' | 'nodes' | 'absent' | 'preFilterMessage' | 'postFilterMessage'>): string {
  let message = `0/${diagnosis.nodeCount} nodes are available:`;
  if (diagnosis.preFilterMessage !== '') {
    message += ` ${diagnosis.preFilterMessage}.`;
  } else {
    const histogram = reasonHistogram(diagnosis);
    if (histogram.length > 0) message += ` ${histogram.join(', ')}.`;
  }
  if (diagnosis.postFilterMessage !== '') message += ` ${diagnosis.postFilterMessage}`;
  return message;
}

function reasonHistogram({ nodeCount, nodes, absent }: Pick<Diagnosis, 'nodeCount' | 'nodes' | 'absent'>): string[] {
  // Thousands of nodes mostly share a handful of rejection objects.
  const byRejection = new Map<Rejection, number>();
  for (const rejection of nodes.values()) byRejection.set(rejection, (byRejection.get(rejection) ?? 0) + 1);
  const counts = new Map<string, number>();
  const count = (rejection: Rejection, times: number): void => {
    for (const reason of rejection.reasons) counts.set(reason, (counts.get(reason) ?? 0) + times);
  };
  for (const [rejection, times] of byRejection) count(rejection, times);
  if (absent && nodes.size < nodeCount) count(absent, nodeCount - nodes.size);
  return [...counts].map(([reason, times]) => `${times} ${reason}`).sort();
}

/** The attempt ended because no node fits; {@link fitErrorMessage} tells why, once preemption has had its say. */
export class FitError extends Error {
  constructor(readonly diagnosis: Diagnosis) {
    super('no node fits');
    this.name = 'FitError';
  }
}

/** The attempt ended because the cluster has no nodes. */
export class NoNodesError extends Error {
  constructor() {
    super('no nodes available to schedule pods');
    this.name = 'NoNodesError';
  }
}
