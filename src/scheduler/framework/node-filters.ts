import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { ForkedFilter, NodeFilter } from './plugin.js';
import type { Rejection } from './rejection.js';

/** Runs filters on a node in order, up to the first rejection. */
export function runFilters(filters: readonly NodeFilter[], node: NodeInfo, position: number): Rejection | undefined {
  for (let i = 0; i < filters.length; i++) {
    const rejection = filters[i]!.filter(node, position);
    if (rejection) return rejection;
  }
  return undefined;
}

/** Filters and one node, copied, so that pods can be put on it and taken away to see what would be. */
export class WhatIf {
  private readonly filters: readonly NodeFilter[];
  private readonly forked: readonly ForkedFilter[];
  readonly node: NodeInfo;

  constructor(
    filters: readonly NodeFilter[],
    node: NodeInfo,
    private readonly position: number,
  ) {
    const forked: ForkedFilter[] = [];
    this.filters = filters.map((filter) => {
      if (!filter.fork) return filter;
      const copy = filter.fork();
      forked.push(copy);
      return copy;
    });
    this.forked = forked;
    this.node = node.clone();
  }

  add(pod: PodInfo): void {
    this.node.addPod(pod);
    for (const filter of this.forked) filter.change(pod, this.node, this.position, 1);
  }

  remove(pod: PodInfo): void {
    this.node.removePod(pod.uid);
    for (const filter of this.forked) filter.change(pod, this.node, this.position, -1);
  }

  /** With `nominated` pods on the node, and also without them: they may never come. */
  test(nominated: readonly PodInfo[]): Rejection | undefined {
    if (nominated.length > 0) {
      for (const pod of nominated) this.add(pod);
      const rejection = runFilters(this.filters, this.node, this.position);
      for (const pod of nominated) this.remove(pod);
      if (rejection) return rejection;
    }
    return runFilters(this.filters, this.node, this.position);
  }
}
