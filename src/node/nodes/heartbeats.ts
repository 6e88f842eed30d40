import type { CancelTimer, Clock } from '../../base/clock.js';

/** The timer never fires more often than this. */
const SHORTEST_TICK = 250;

/** Calls `beat` for each of `count` nodes once per period, spread evenly over it with a single timer. */
export class Heartbeats {
  private cancel: CancelTimer | undefined;
  private begun = 0;
  private done = 0;

  constructor(
    private readonly clock: Clock,
    private readonly count: number,
    private readonly periodMilliseconds: number,
    private readonly beat: (index: number) => void,
  ) {}

  start(): void {
    this.begun = this.clock.monotonic();
    this.done = 0;
    if (this.count > 0) this.arm();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  private arm(): void {
    const tick = Math.max(SHORTEST_TICK, this.periodMilliseconds / this.count);
    this.cancel = this.clock.setTimeout(() => this.tick(), tick, { unref: true });
  }

  private tick(): void {
    const due = Math.floor(((this.clock.monotonic() - this.begun) / this.periodMilliseconds) * this.count);
    // After a long pause (a suspended machine) each node is due once, not once per period missed.
    this.done = Math.max(this.done, due - this.count);
    for (; this.done < due; this.done++) this.beat(this.done % this.count);
    this.arm();
  }
}
