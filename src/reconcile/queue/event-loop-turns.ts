import type { Clock } from '../../base/clock.js';
import { nextTurn } from '../../base/steps.js';

const BUDGET_MILLISECONDS = 4;
const MOST_CALLS = 32;

/** Lets the event loop turn when work has gone on for 4 ms, or for 32 calls, without a pause of its own. */
export class EventLoopTurns {
  private since: number;
  private calls = 0;

  constructor(private readonly clock: Clock) {
    this.since = clock.monotonic();
  }

  async maybeYield(): Promise<void> {
    this.calls += 1;
    if (this.calls < MOST_CALLS && this.clock.monotonic() - this.since < BUDGET_MILLISECONDS) return;
    await nextTurn();
    this.calls = 0;
    this.since = this.clock.monotonic();
  }
}
