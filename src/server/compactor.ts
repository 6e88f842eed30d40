import type { CancelTimer, Clock } from '../base/clock.js';
import { errorMessage } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { CompactionTurn, SharedCompaction, Store } from '../storage/index.js';

const INTERVAL_MILLISECONDS = 5 * 60_000;

/** Lets the store forget what happened more than one interval (five minutes) ago. Servers that share a store take turns. */
export class Compactor {
  private cancel: CancelTimer | undefined;
  private turn: CompactionTurn = { count: 0, revision: 0 };

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly log: Logger,
    /** Told from which revision on the past is still to be read. */
    private readonly forgotten: (before: number) => void,
  ) {}

  start(): void {
    // Whoever takes turns counts them from the start.
    if (isShared(this.store)) void this.compact();
    this.arm();
  }

  stop(): void {
    this.cancel?.();
  }

  private arm(): void {
    this.cancel = this.clock.setTimeout(
      () => {
        void this.compact();
        this.arm();
      },
      INTERVAL_MILLISECONDS,
      { unref: true },
    );
  }

  private async compact(): Promise<void> {
    const { count, revision } = this.turn;
    try {
      if (isShared(this.store)) this.turn = await this.store.compactInTurn(this.turn);
      else {
        const newest = await this.store.currentRevision();
        if (revision > 0) await this.store.compact(revision);
        this.turn = { count: count + 1, revision: newest };
      }
      this.forgotten(revision);
    } catch (error) {
      this.log.warn('the store could not be compacted', { error: errorMessage(error) });
    }
  }
}

function isShared(store: Store): store is Store & SharedCompaction {
  return 'compactInTurn' in store;
}
