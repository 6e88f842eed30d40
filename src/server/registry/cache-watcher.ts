import type { WatchBatch } from './watch-batch.js';

/** A watcher that has this much unsent is cut off; it may come back and resume. */
export const WATCHER_LIMIT_BYTES = 32 << 20;
const WATCHER_LIMIT_BATCHES = 20_000;

/** The queue between the cache and one watcher. One consumer takes batches; the cache puts them in without waiting. */
export class CacheWatcher {
  /** Whether there are events that are still on their way here. */
  isBehind: () => boolean = () => false;
  private queue: WatchBatch[] = [];
  private queued = 0;
  private ended = false;
  private wake: (() => void) | undefined;

  constructor(
    readonly allowBookmarks: boolean,
    /** Called once when the watcher ends, whoever ended it. */
    private readonly onEnd: (watcher: CacheWatcher) => void,
  ) {}

  get isEnded(): boolean {
    return this.ended;
  }

  /** Adds a batch; ends the watcher when it does not keep up. */
  push(batch: WatchBatch): void {
    if (this.ended) return;
    this.queued += batch.size;
    this.queue.push(batch);
    if (this.queued > WATCHER_LIMIT_BYTES || this.queue.length > WATCHER_LIMIT_BATCHES) {
      this.queue = [];
      this.end();
      return;
    }
    this.wakeUp();
  }

  /** Everything queued so far; waits for something. Undefined: the watch has ended and nothing is left. */
  async take(): Promise<WatchBatch[] | undefined> {
    while (this.queue.length === 0) {
      if (this.ended) return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const batches = this.queue;
    this.queue = [];
    this.queued = 0;
    return batches;
  }

  /** Ends the watch after what is queued was taken. Idempotent. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.onEnd(this);
    this.wakeUp();
  }

  private wakeUp(): void {
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  }
}
