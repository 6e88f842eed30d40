import type { PodInfo } from '../cache/pod-info.js';

/** Pods that made room on a node by preemption, or are about to be bound to it, and have not arrived yet. */
export class Nominator {
  private readonly byNode = new Map<string, Map<string, PodInfo>>();
  private readonly nodeOf = new Map<string, string>();

  /** `stillPending` tells whether a pod exists and has no node yet. */
  constructor(private readonly stillPending: (pod: PodInfo) => boolean) {}

  /** `nominated` overrides what the pod's status says; empty: none. */
  add(pod: PodInfo, nominated?: string): void {
    this.delete(pod.uid);
    const node = nominated ?? pod.pod.status?.nominatedNodeName ?? '';
    if (node === '' || !this.stillPending(pod)) return;
    this.nodeOf.set(pod.uid, node);
    const pods = this.byNode.get(node);
    if (pods) pods.set(pod.uid, pod);
    else this.byNode.set(node, new Map([[pod.uid, pod]]));
  }

  /** A pod changed. A nomination that its status does not show yet is kept. */
  update(previous: PodInfo, next: PodInfo): void {
    const shown = (previous.pod.status?.nominatedNodeName ?? '') !== '' || (next.pod.status?.nominatedNodeName ?? '') !== '';
    this.add(next, shown ? undefined : this.nodeOf.get(previous.uid));
  }

  delete(uid: string): void {
    const node = this.nodeOf.get(uid);
    if (node === undefined) return;
    this.nodeOf.delete(uid);
    const pods = this.byNode.get(node)!;
    pods.delete(uid);
    if (pods.size === 0) this.byNode.delete(node);
  }

  /** True when there is any nomination at all. */
  get any(): boolean {
    return this.byNode.size > 0;
  }

  /** Pods nominated to a node whose priority is at least that of `pod`, which is left out. */
  competing(nodeName: string, pod: PodInfo): readonly PodInfo[] {
    const pods = this.byNode.get(nodeName);
    return pods ? [...pods.values()].filter((one) => one.priority >= pod.priority && one.uid !== pod.uid) : NONE;
  }

  /** Pods nominated to a node whose priority is below `priority`. */
  lowerPriority(nodeName: string, priority: number): readonly PodInfo[] {
    const pods = this.byNode.get(nodeName);
    return pods ? [...pods.values()].filter((one) => one.priority < priority) : NONE;
  }
}

const NONE: readonly PodInfo[] = [];
