import type { CancelTimer, Clock } from '../../base/clock.js';

/**
 * Runs one thing over and over, never twice at a time: when it is asked for, and when the last run said so. Requests that
 * come within `minMilliseconds`, or while it runs, are put together.
 */
export class SerialLoop {
  private cancel: CancelTimer | undefined;
  private due = Number.POSITIVE_INFINITY;
  private running: Promise<void> | undefined;
  private stopped = false;

  /** `run` resolves with the milliseconds after which it wants to run again, and must not reject. */
  constructor(private readonly clock: Clock, private readonly minMilliseconds: number, private readonly run: () => Promise<number>) {}

  /** Runs soon. */
  request(): void {
    this.wakeAfter(this.minMilliseconds);
  }

  /** Ends after the run that is under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    await this.running;
  }

  private wakeAfter(milliseconds: number): void {
    const due = this.clock.monotonic() + milliseconds;
    if (this.stopped || due >= this.due) return;
    this.due = due;
    if (this.running) return;
    this.cancel?.();
    this.cancel = this.clock.setTimeout(() => this.begin(), milliseconds);
  }

  private begin(): void {
    this.due = Number.POSITIVE_INFINITY;
    this.running = this.run().then((again) => {
      this.running = undefined;
      // Requests that came meanwhile only left their time.
      const requested = this.due - this.clock.monotonic();
      this.due = Number.POSITIVE_INFINITY;
      this.wakeAfter(Math.max(this.minMilliseconds, Math.min(again, requested)));
    });
  }
}
