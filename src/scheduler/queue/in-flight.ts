import type { KubeObject } from '../../api/meta/object.js';
import type { ClusterEvent } from '../framework/cluster-event.js';

/** An event with the objects it is about. */
export interface EventRecord {
  readonly event: ClusterEvent;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/**
 * Remembers the events that happen while pods are being tried: a pod that turns out not to fit may have been cured meanwhile.
 * Events are kept as long as some pod that was being tried when they happened still is.
 */
export class InFlightPods {
  /** For each pod being tried, the number of the first event it has to look at; in order of starting. */
  private readonly starts = new Map<string, number>();
  private events: EventRecord[] = [];
  private firstNumber = 0;

  get podCount(): number {
    return this.starts.size;
  }

  get eventCount(): number {
    return this.events.length;
  }

  has(uid: string): boolean {
    return this.starts.has(uid);
  }

  start(uid: string): void {
    this.starts.set(uid, this.firstNumber + this.events.length);
  }

  record(record: EventRecord): void {
    if (this.starts.size > 0) this.events.push(record);
  }

  /** What happened since the pod's attempt began. */
  eventsSince(uid: string): readonly EventRecord[] {
    const start = this.starts.get(uid);
    return start === undefined ? [] : this.events.slice(start - this.firstNumber);
  }

  /** The attempt is over. */
  done(uid: string): void {
    if (!this.starts.delete(uid)) return;
    const oldest = this.starts.values().next();
    if (oldest.done) {
      this.firstNumber += this.events.length;
      this.events = [];
    } else if (oldest.value - this.firstNumber > 256) {
      // Cutting only now and then keeps the cost per pod constant.
      this.events.splice(0, oldest.value - this.firstNumber);
      this.firstNumber = oldest.value;
    }
  }
}
