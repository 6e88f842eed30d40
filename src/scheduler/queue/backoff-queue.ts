import { KeyedHeap } from './heap.js';
import { prioritySort, uidOf, type QueuedPod } from './queued-pod.js';

/** Back-offs end together at full seconds, so that pods leave the queue by priority within a second. */
const WINDOW_MILLISECONDS = 1000;

/** Pods that may be tried again after a while: the n-th failure costs `initial` * 2^(n-1), at most `maximum`. */
export class BackoffQueue {
  private readonly failed: KeyedHeap<QueuedPod>;
  /** Pods whose attempt ended with an error; they always wait their time out. */
  private readonly errors: KeyedHeap<QueuedPod>;

  constructor(
    private readonly now: () => number,
    private readonly initialMilliseconds: number,
    private readonly maximumMilliseconds: number,
  ) {
    const earlier = (a: QueuedPod, b: QueuedPod): boolean => {
      const difference = this.expiration(a) - this.expiration(b);
      return difference === 0 ? prioritySort(a, b) : difference < 0;
    };
    this.failed = new KeyedHeap(uidOf, earlier);
    this.errors = new KeyedHeap(uidOf, earlier);
  }

  get size(): number {
    return this.failed.size + this.errors.size;
  }

  add(pod: QueuedPod): void {
    const [into, other] = pod.rejectors.size === 0 ? [this.errors, this.failed] : [this.failed, this.errors];
    other.delete(pod.info.uid);
    into.push(pod);
  }

  get(uid: string): QueuedPod | undefined {
    return this.failed.get(uid) ?? this.errors.get(uid);
  }

  delete(uid: string): QueuedPod | undefined {
    return this.failed.delete(uid) ?? this.errors.delete(uid);
  }

  /** The next pod, before its time: an idle scheduler need not wait. Pods that met an error do wait. */
  popEarly(): QueuedPod | undefined {
    return this.failed.pop();
  }

  /** Pods whose back-off is over, removed. */
  popCompleted(): QueuedPod[] {
    const result: QueuedPod[] = [];
    for (const heap of [this.failed, this.errors]) {
      for (let head = heap.peek(); head && !this.isBackingOff(head); head = heap.peek()) result.push(heap.pop()!);
    }
    return result;
  }

  /** When the next pod's back-off ends; undefined when the queue is empty. */
  nextCompletion(): number | undefined {
    const heads = [this.failed.peek(), this.errors.peek()].filter((one) => one !== undefined);
    if (heads.length === 0) return undefined;
    return Math.min(...heads.map((one) => this.expiration(one))) + WINDOW_MILLISECONDS;
  }

  isBackingOff(pod: QueuedPod): boolean {
    return this.expiration(pod) >= align(this.now());
  }

  pods(): readonly QueuedPod[] {
    return [...this.failed.values(), ...this.errors.values()];
  }

  private expiration(pod: QueuedPod): number {
    const count = pod.consecutiveErrors > 0 ? pod.consecutiveErrors : pod.unschedulableCount;
    if (count === 0 || this.maximumMilliseconds === 0) return -Infinity;
    return (pod.backoffExpiration ??= align(pod.timestamp + Math.min(this.maximumMilliseconds, this.initialMilliseconds * 2 ** (count - 1))));
  }
}

function align(time: number): number {
  return Math.floor(time / WINDOW_MILLISECONDS) * WINDOW_MILLISECONDS;
}
