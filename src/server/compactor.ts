import type { CancelTimer, Clock } from '../base/clock.js';
import { errorMessage } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { Store } from '../storage/index.js';

const INTERVAL_MILLISECONDS = 5 * 60_000;

/** Lets the store forget what happened more than one interval (five minutes) ago. */
export class Compactor {
  private cancel: CancelTimer | undefined;
  private previous = 0;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.cancel = this.clock.setTimeout(
      () => {
        void this.compact();
        this.start();
      },
      INTERVAL_MILLISECONDS,
      { unref: true },
    );
  }

  stop(): void {
    this.cancel?.();
  }

  private async compact(): Promise<void> {
    try {
      const newest = await this.store.currentRevision();
      if (this.previous > 0) await this.store.compact(this.previous);
      this.previous = newest;
    } catch (error) {
      this.log.warn('the store could not be compacted', { error: errorMessage(error) });
    }
  }
}
