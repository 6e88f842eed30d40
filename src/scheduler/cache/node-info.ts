import type { V1Node, V1Taint } from '../../api/generated/types.js';
import { quantityMilliValue, quantityValue } from '../../api/quantity.js';
import { UsedPorts } from './host-ports.js';
import type { PodInfo } from './pod-info.js';
import { applyResources, cloneResources, noResources, toResources, type Resources } from './resources.js';

const NO_LABELS: Readonly<Record<string, string>> = {};
const NO_TAINTS: readonly V1Taint[] = [];

/** What is computed once per state of a node object. */
export interface NodeFacts {
  readonly node: V1Node;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly unschedulable: boolean;
  /** Taints with effect `NoSchedule` or `NoExecute`. */
  readonly blockingTaints: readonly V1Taint[];
  /** Taints with effect `PreferNoSchedule`. */
  readonly softTaints: readonly V1Taint[];
  readonly allocatable: Resources;
  /** Pods that may run at once. */
  readonly podCapacity: number;
  /** Sizes in bytes by every name of every image on the node. */
  readonly images: ReadonlyMap<string, number>;
}

export function nodeFacts(node: V1Node): NodeFacts {
  const amounts = new Map<string, number>();
  const allocatable = node.status?.allocatable ?? {};
  for (const name in allocatable) amounts.set(name, name === 'cpu' ? quantityMilliValue(allocatable[name]!) : quantityValue(allocatable[name]!));
  const taints = node.spec?.taints ?? NO_TAINTS;
  const images = new Map<string, number>();
  for (const { names, sizeBytes } of node.status?.images ?? []) for (const name of names ?? []) images.set(name, sizeBytes ?? 0);
  return {
    node,
    name: node.metadata?.name ?? '',
    labels: node.metadata?.labels ?? NO_LABELS,
    unschedulable: node.spec?.unschedulable ?? false,
    blockingTaints: taints.filter((one) => one.effect === 'NoSchedule' || one.effect === 'NoExecute'),
    softTaints: taints.filter((one) => one.effect === 'PreferNoSchedule'),
    allocatable: toResources(amounts),
    podCapacity: allocatable['pods'] === undefined ? 0 : quantityValue(allocatable['pods']),
    images,
  };
}

/**
 * A node with the pods on it (also those that were placed but not bound yet) and their sums. Read-only once a snapshot has it; what changes
 * afterwards changes a {@link clone}.
 */
export class NodeInfo {
  readonly pods: PodInfo[];
  /** Those of {@link pods} with any inter-pod affinity or anti-affinity. */
  readonly podsWithAffinity: PodInfo[];
  readonly requested: Resources;
  nonZeroMilliCpu: number;
  nonZeroMemory: number;
  private ports: UsedPorts | undefined;
  private claims: Map<string, number> | undefined;

  constructor(
    public facts: NodeFacts,
    source?: NodeInfo,
  ) {
    this.pods = source ? source.pods.slice() : [];
    this.podsWithAffinity = source ? source.podsWithAffinity.slice() : [];
    this.requested = source ? cloneResources(source.requested) : noResources();
    this.nonZeroMilliCpu = source ? source.nonZeroMilliCpu : 0;
    this.nonZeroMemory = source ? source.nonZeroMemory : 0;
    this.ports = source?.ports?.clone();
    this.claims = source?.claims ? new Map(source.claims) : undefined;
  }

  get name(): string {
    return this.facts.name;
  }

  get node(): V1Node {
    return this.facts.node;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.facts.labels;
  }

  /** Host ports in use; undefined when there are none. */
  get usedPorts(): UsedPorts | undefined {
    return this.ports;
  }

  /** A copy that may be changed. */
  clone(): NodeInfo {
    return new NodeInfo(this.facts, this);
  }

  /** Number of pods here that use the claim `namespace/name`. */
  claimUsers(key: string): number {
    return this.claims?.get(key) ?? 0;
  }

  addPod(pod: PodInfo): void {
    this.pods.push(pod);
    if (pod.hasAffinity) this.podsWithAffinity.push(pod);
    this.count(pod, 1);
  }

  /** Removes the pod with this uid and returns what was here of it. */
  removePod(uid: string): PodInfo | undefined {
    const found = take(this.pods, uid);
    if (!found) return undefined;
    if (found.hasAffinity) take(this.podsWithAffinity, uid);
    this.count(found, -1);
    return found;
  }

  private count(pod: PodInfo, sign: 1 | -1): void {
    applyResources(this.requested, pod.requested, sign);
    this.nonZeroMilliCpu += sign * pod.nonZeroMilliCpu;
    this.nonZeroMemory += sign * pod.nonZeroMemory;
    for (const port of pod.hostPorts) {
      this.ports ??= new UsedPorts();
      if (sign > 0) this.ports.add(port);
      else this.ports.remove(port);
    }
    for (const key of pod.claimKeys) {
      this.claims ??= new Map();
      const users = (this.claims.get(key) ?? 0) + sign;
      if (users > 0) this.claims.set(key, users);
      else this.claims.delete(key);
    }
  }
}

function take(list: PodInfo[], uid: string): PodInfo | undefined {
  const index = list.findIndex((one) => one.uid === uid);
  if (index < 0) return undefined;
  const found = list[index];
  // Order does not matter; filling the gap with the last one keeps removal cheap.
  const last = list.pop()!;
  if (index < list.length) list[index] = last;
  return found;
}
