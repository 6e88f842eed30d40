import type { Revision, StoreEvent } from '../store.js';

interface Step {
  readonly revision: Revision;
  readonly events: readonly StoreEvent[];
  readonly bytes: number;
}

/** The changes of recent revisions, bounded in number and bytes, so that a watch can start in the past. */
export class History {
  private steps: Step[] = [];
  private bytes = 0;

  constructor(
    /** Revisions up to and including this one are gone. */
    private gone: Revision,
    private readonly maxSteps: number,
    private readonly maxBytes: number,
  ) {}

  /** The newest revision that is gone: a watch may start right after it. */
  get compacted(): Revision {
    return this.gone;
  }

  add(revision: Revision, events: readonly StoreEvent[]): void {
    const bytes = events.reduce((sum, event) => sum + event.key.length + event.value.length, 0);
    this.steps.push({ revision, events, bytes });
    this.bytes += bytes;
    if (this.steps.length > this.maxSteps || this.bytes > this.maxBytes) {
      // Trimming a quarter at a time keeps the cost of shifting the array low.
      const keep = Math.floor(this.maxSteps * 0.75);
      let drop = Math.max(0, this.steps.length - keep);
      let left = this.bytes;
      for (let i = 0; i < drop; i++) left -= this.steps[i]!.bytes;
      while (drop < this.steps.length - 1 && left > this.maxBytes * 0.75) left -= this.steps[drop++]!.bytes;
      if (drop > 0) this.compact(this.steps[drop - 1]!.revision);
    }
  }

  /** Forgets everything up to and including `revision`. */
  compact(revision: Revision): void {
    if (revision <= this.gone) return;
    this.gone = revision;
    const keep = this.steps.findIndex((step) => step.revision > revision);
    const dropped = keep < 0 ? this.steps.splice(0) : this.steps.splice(0, keep);
    for (const step of dropped) this.bytes -= step.bytes;
  }

  /** Events from `revision` on; the caller has checked that it is not gone. */
  since(revision: Revision): StoreEvent[] {
    let low = 0;
    let high = this.steps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.steps[middle]!.revision < revision) low = middle + 1;
      else high = middle;
    }
    return this.steps.slice(low).flatMap((step) => step.events);
  }
}
