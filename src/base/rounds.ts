import type { CancelTimer, Clock } from './clock.js';

/** Does the same again and again, one round after the other. */
export class Rounds {
  private cancel: CancelTimer | undefined;
  private stopped = false;
  private underWay: Promise<void> | undefined;

  /** `round` resolves with the milliseconds from its end to the next one; 0: at once. It must not throw. */
  constructor(
    private readonly clock: Clock,
    private readonly round: () => Promise<number>,
  ) {}

  /** Begins with the first round after so many milliseconds; default: at once. After a stop nothing begins. */
  start(firstMilliseconds = 0): void {
    if (!this.stopped) this.after(firstMilliseconds);
  }

  /** No further round begins. Resolves when the one under way has ended. Idempotent. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    await this.underWay;
  }

  private after(milliseconds: number): void {
    if (milliseconds === 0) this.underWay = this.go();
    else {
      this.cancel = this.clock.setTimeout(() => {
        this.underWay = this.go();
      }, milliseconds, { unref: true });
    }
  }

  private async go(): Promise<void> {
    let pause = 0;
    while (pause === 0 && !this.stopped) pause = await this.round();
    if (!this.stopped) this.after(pause);
  }
}
