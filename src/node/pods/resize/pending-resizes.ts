import type { V1Pod } from '../../../api/generated/types.js';
import { podQosClass } from '../../../api/helpers/pod-qos.js';
import { podRequests } from '../../../api/helpers/pod-resources.js';
import type { CancelTimer, Clock } from '../../../base/clock.js';
import type { Rejection } from '../admission.js';

/** Upstream's time after which resizes that have to wait are looked at again, in milliseconds. */
const RETRY = 180_000;

/** A pod that asks for other resources than it was granted. */
export interface ResizingPod {
  readonly latest: V1Pod;
  readonly allocated: V1Pod;
  readonly resizePending: boolean;
  /** When it began to wait, RFC 3339; absent: it did not yet. */
  readonly resizePendingSince: string | undefined;
  grantResize(): void;
  deferResize(rejection: Rejection): void;
}

/** Resizes that wait for room on their node. Those that need no more than before come first, then by priority, class of service, and time. */
export class PendingResizes<T extends ResizingPod> {
  private readonly waiting = new Set<T>();
  private cancel: CancelTimer | undefined;

  constructor(
    private readonly clock: Clock,
    /** Counts a pod's new requests in, or says why not. */
    private readonly admit: (pod: T) => Rejection | undefined,
  ) {}

  /** The pod has changed: it may have begun to ask for something else. */
  push(pod: T): void {
    if (!pod.resizePending) {
      this.waiting.delete(pod);
      return;
    }
    this.waiting.add(pod);
    this.retry();
  }

  remove(pod: T): void {
    this.waiting.delete(pod);
  }

  /** Room may have become free. */
  retry(): void {
    for (const pod of [...this.waiting].sort(order)) {
      const rejection = this.admit(pod);
      if (rejection) pod.deferResize(rejection);
      else {
        this.waiting.delete(pod);
        pod.grantResize();
      }
    }
    this.cancel?.();
    this.cancel = this.waiting.size > 0 ? this.clock.setTimeout(() => this.retry(), RETRY, { unref: true }) : undefined;
  }

  stop(): void {
    this.cancel?.();
    this.waiting.clear();
  }
}

function order(a: ResizingPod, b: ResizingPod): number {
  const guaranteed = (pod: ResizingPod): number => (podQosClass(pod.latest) === 'Guaranteed' ? 0 : 1);
  const since = ({ resizePendingSince }: ResizingPod): number => (resizePendingSince === undefined ? Infinity : Date.parse(resizePendingSince));
  return Number(increases(a)) - Number(increases(b)) || (b.latest.spec?.priority ?? 0) - (a.latest.spec?.priority ?? 0) || guaranteed(a) - guaranteed(b) || (since(a) === since(b) ? 0 : since(a) - since(b));
}

function increases({ latest, allocated }: ResizingPod): boolean {
  const [wanted, granted] = [podRequests(latest), podRequests(allocated)];
  return ['cpu', 'memory'].some((name) => (wanted.get(name) ?? 0) > (granted.get(name) ?? 0));
}
