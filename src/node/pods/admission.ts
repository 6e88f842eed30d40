import type { V1Node, V1Pod } from '../../api/generated/types.js';
import { hostPorts, hostPortsConflict, type HostPort } from '../../api/helpers/pod-containers.js';
import { podMatchesNode } from '../../api/helpers/node-selection.js';
import { podQosClass } from '../../api/helpers/pod-qos.js';
import { podRequests } from '../../api/helpers/pod-resources.js';
import { isExtendedResource } from '../../api/helpers/resource-names.js';
import { toleratesTaintAny, untoleratedTaint } from '../../api/helpers/tolerations.js';
import { quantityMilliValue, quantityValue } from '../../api/quantity.js';
import { conditionMessage } from '../eviction/messages.js';
import { isCriticalPod } from '../eviction/pod-usage.js';
import type { PressureCondition } from '../eviction/signals.js';

const MEMORY_PRESSURE = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' } as const;

/** Why a node does not take a pod. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

interface Taken {
  readonly requests: ReadonlyMap<string, number>;
  readonly ports: readonly HostPort[];
}

/** What the pods of one node take together. A pod that the node cannot take is refused, whoever put it there. */
export class NodeAdmission {
  private readonly pods = new Map<string, Taken>();
  private readonly used = new Map<string, number>();

  /** `allocatable`: amounts that the node has for pods, as quantities; `pressure` tells what the node is short of. */
  constructor(
    private readonly allocatable: () => Readonly<Record<string, string>>,
    private readonly pressure: () => readonly PressureCondition[] = () => [],
  ) {}

  /** Counts the pod in, or says why not. `node` is its object, if it is known. */
  admit(pod: V1Pod, node: V1Node | undefined): Rejection | undefined {
    const taken = takenBy(pod);
    const rejection = this.check(pod, taken, node);
    if (!rejection) this.add(pod.metadata?.uid ?? '', taken);
    return rejection;
  }

  /** Counts the pod in with what it asks for now instead of what it had, or says why not; then it keeps what it had. */
  resize(pod: V1Pod, node: V1Node | undefined): Rejection | undefined {
    const uid = pod.metadata?.uid ?? '';
    const before = this.pods.get(uid);
    this.release(uid);
    const taken = takenBy(pod);
    const rejection = this.check(pod, taken, node);
    const kept = rejection ? before : taken;
    if (kept) this.add(uid, kept);
    return rejection;
  }

  /** Counts a pod in that was admitted before. */
  include(pod: V1Pod): void {
    this.add(pod.metadata?.uid ?? '', takenBy(pod));
  }

  /** The pod has ended. */
  release(uid: string): void {
    const taken = this.pods.get(uid);
    if (!taken) return;
    this.pods.delete(uid);
    for (const [name, amount] of taken.requests) this.used.set(name, (this.used.get(name) ?? 0) - amount);
  }

  private add(uid: string, taken: Taken): void {
    this.release(uid);
    this.pods.set(uid, taken);
    for (const [name, amount] of taken.requests) this.used.set(name, (this.used.get(name) ?? 0) + amount);
  }

  private check(pod: V1Pod, taken: Taken, node: V1Node | undefined): Rejection | undefined {
    const os = pod.spec?.os?.name;
    if (os !== undefined && os !== 'linux') return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
    const pressed = this.refusedUnderPressure(pod);
    if (pressed) return pressed;
    const podCapacity = this.capacity('pods') ?? Infinity;
    if (this.pods.size + 1 > podCapacity) return insufficient('pods', 1, this.pods.size, podCapacity);
    for (const [name, amount] of taken.requests) {
      const capacity = this.capacity(name);
      // Extended resources that the node does not know are not its business.
      if (amount === 0 || (capacity === undefined && isExtendedResource(name))) continue;
      const used = this.used.get(name) ?? 0;
      if (used + amount > (capacity ?? 0)) return insufficient(name, amount, used, capacity ?? 0);
    }
    if (!node) return undefined;
    if (pod.spec && !podMatchesNode(pod.spec, node)) return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
    for (const other of this.pods.values()) {
      if (taken.ports.length > 0 && other.ports.some((port) => taken.ports.some((own) => hostPortsConflict(own, port)))) {
        return predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports");
      }
    }
    if (untoleratedTaint(node.spec?.taints, pod.spec?.tolerations, ['NoExecute'])) return predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate");
    return undefined;
  }

  /** Critical pods keep the node itself alive. A node that is short of nothing but memory takes pods that have asked for some, and those that tolerate it. */
  private refusedUnderPressure(pod: V1Pod): Rejection | undefined {
    const conditions = this.pressure();
    if (conditions.length === 0 || isCriticalPod(pod)) return undefined;
    const onlyMemory = conditions.length === 1 && conditions[0] === 'MemoryPressure';
    if (onlyMemory && (podQosClass(pod) !== 'BestEffort' || toleratesTaintAny(pod.spec?.tolerations, MEMORY_PRESSURE))) return undefined;
    return { reason: 'Evicted', message: conditionMessage(conditions) };
  }

  private capacity(name: string): number | undefined {
    const text = this.allocatable()[name];
    if (text === undefined) return undefined;
    return name === 'cpu' ? quantityMilliValue(text) : quantityValue(text);
  }
}

function takenBy(pod: V1Pod): Taken {
  return { requests: podRequests(pod), ports: pod.spec ? hostPorts(pod.spec) : [] };
}

function insufficient(resource: string, requested: number, used: number, capacity: number): Rejection {
  return { reason: `OutOf${resource}`, message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}` };
}

function predicate(name: string, description: string): Rejection {
  return { reason: name, message: `Predicate ${name} failed: ${description}` };
}
