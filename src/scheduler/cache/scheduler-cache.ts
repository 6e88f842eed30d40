import type { V1Node, V1Pod } from '../../api/generated/types.js';
import { NodeColumns } from './node-columns.js';
import { NodeInfo, nodeFacts } from './node-info.js';
import { NodeOrder } from './node-order.js';
import { PodInfo } from './pod-info.js';
import { Snapshot } from './snapshot.js';

interface NodeEntry {
  info: NodeInfo;
  /** False for a node that is gone, or not here yet, but has pods. */
  present: boolean;
  /** A snapshot has {@link info}: the next change goes to a copy. */
  taken: boolean;
}

interface PodEntry {
  info: PodInfo;
  assumed: boolean;
}

/**
 * What the scheduler knows of nodes and of the pods on them, from watches and from its own decisions that are not visible yet (assumed pods).
 * Every change costs as much as the node it concerns; {@link snapshot} costs as much as the nodes that changed since the last one.
 */
export class SchedulerCache {
  private readonly nodes = new Map<string, NodeEntry>();
  private readonly pods = new Map<string, PodEntry>();
  private readonly order = new NodeOrder();
  private readonly changed = new Set<string>();
  private readonly imageNodes = new Map<string, number>();
  private last = Snapshot.empty;
  private positions = new Map<string, number>();
  private assumedCount = 0;
  private affinityPods = 0;
  private orderChanged = false;
  private factsChanged = false;

  get nodeCount(): number {
    return this.nodes.size;
  }

  get podCount(): number {
    return this.pods.size;
  }

  get assumedPodCount(): number {
    return this.assumedCount;
  }

  /** Adds a node, or takes in its new state. */
  setNode(node: V1Node): void {
    const facts = nodeFacts(node);
    let entry = this.nodes.get(facts.name);
    if (!entry) this.nodes.set(facts.name, (entry = { info: new NodeInfo(facts), present: true, taken: false }));
    else {
      if (entry.present) this.countImages(entry.info, -1);
      this.writable(facts.name, entry).facts = facts;
      entry.present = true;
    }
    this.countImages(entry.info, 1);
    if (this.order.set(facts.name, node)) this.orderChanged = true;
    this.factsChanged = true;
    this.changed.add(facts.name);
  }

  removeNode(name: string): void {
    const entry = this.nodes.get(name);
    if (!entry?.present) return;
    this.countImages(entry.info, -1);
    entry.present = false;
    if (entry.info.pods.length === 0) this.nodes.delete(name);
    this.order.delete(name);
    this.orderChanged = true;
  }

  /** Places a pod on a node before the API server knows. It stays until the watch confirms it or the binding fails: it does not expire. */
  assume(info: PodInfo): void {
    if (this.pods.has(info.uid)) throw new TypeError(`pod ${info.key} is in the cache, so can't be assumed`);
    this.put(info);
    this.pods.set(info.uid, { info, assumed: true });
    this.assumedCount++;
  }

  /** Takes an assumed pod back. False when it is not assumed (any more). */
  forget(uid: string): boolean {
    const entry = this.pods.get(uid);
    if (!entry?.assumed) return false;
    this.drop(entry);
    return true;
  }

  isAssumed(uid: string): boolean {
    return this.pods.get(uid)?.assumed ?? false;
  }

  /** A pod that is placed or assumed. */
  pod(uid: string): PodInfo | undefined {
    return this.pods.get(uid)?.info;
  }

  /** Takes in a pod that is on a node: new, confirmed or changed. */
  setPod(pod: V1Pod): void {
    const uid = pod.metadata?.uid ?? '';
    const entry = this.pods.get(uid);
    if (!entry) {
      const info = new PodInfo(pod);
      this.put(info);
      this.pods.set(uid, { info, assumed: false });
      return;
    }
    const generation = pod.metadata?.generation;
    const sameSpec = entry.assumed || (generation !== undefined && generation === entry.info.pod.metadata?.generation);
    const info = entry.info.withState(pod, sameSpec);
    this.take(entry.info);
    this.put(info);
    if (entry.assumed) this.assumedCount--;
    entry.info = info;
    entry.assumed = false;
  }

  removePod(uid: string): void {
    const entry = this.pods.get(uid);
    if (entry) this.drop(entry);
  }

  /** The state now. Nodes that did not change are the same objects as in the previous snapshot. */
  snapshot(): Snapshot {
    if (this.changed.size === 0 && !this.orderChanged && !this.factsChanged) return this.last;
    const nodes = this.orderChanged ? this.allNodes() : this.changedNodes();
    let columns = this.last.columns;
    if (this.orderChanged || this.factsChanged) columns = new NodeColumns(nodes, new Map(this.imageNodes));
    this.last = new Snapshot(nodes, this.positions, columns, this.affinityPods > 0);
    this.changed.clear();
    this.orderChanged = false;
    this.factsChanged = false;
    return this.last;
  }

  private allNodes(): NodeInfo[] {
    const nodes: NodeInfo[] = [];
    this.positions = new Map();
    for (const name of this.order.names()) {
      const entry = this.nodes.get(name)!;
      entry.taken = true;
      this.positions.set(name, nodes.length);
      nodes.push(entry.info);
    }
    return nodes;
  }

  private changedNodes(): NodeInfo[] {
    const nodes = this.last.nodes.slice();
    for (const name of this.changed) {
      const position = this.positions.get(name);
      const entry = this.nodes.get(name);
      if (position === undefined || !entry) continue;
      entry.taken = true;
      nodes[position] = entry.info;
    }
    return nodes;
  }

  private drop(entry: PodEntry): void {
    this.take(entry.info);
    if (entry.assumed) this.assumedCount--;
    this.pods.delete(entry.info.uid);
  }

  private put(info: PodInfo): void {
    let entry = this.nodes.get(info.nodeName);
    if (!entry) {
      const placeholder = nodeFacts({ metadata: { name: info.nodeName } });
      this.nodes.set(info.nodeName, (entry = { info: new NodeInfo(placeholder), present: false, taken: false }));
    }
    this.writable(info.nodeName, entry).addPod(info);
    if (info.hasAffinity) this.affinityPods++;
  }

  private take(info: PodInfo): void {
    const entry = this.nodes.get(info.nodeName);
    if (!entry || !this.writable(info.nodeName, entry).removePod(info.uid)) return;
    if (info.hasAffinity) this.affinityPods--;
    if (!entry.present && entry.info.pods.length === 0) this.nodes.delete(info.nodeName);
  }

  private writable(name: string, entry: NodeEntry): NodeInfo {
    this.changed.add(name);
    if (entry.taken) {
      entry.info = entry.info.clone();
      entry.taken = false;
    }
    return entry.info;
  }

  private countImages(info: NodeInfo, sign: 1 | -1): void {
    for (const name of info.facts.images.keys()) {
      const count = (this.imageNodes.get(name) ?? 0) + sign;
      if (count > 0) this.imageNodes.set(name, count);
      else this.imageNodes.delete(name);
    }
  }
}
