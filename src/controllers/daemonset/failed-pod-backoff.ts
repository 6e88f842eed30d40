import type { Clock } from '../../base/clock.js';

interface Entry {
  delay: number;
  since: number;
}

const INITIAL_MILLISECONDS = 1_000;
const MAXIMUM_MILLISECONDS = 15 * 60_000;
/** Above this, entries that have expired are dropped. */
const TIDY_SIZE = 1_000;

/** How long a failed daemon pod stays before it is replaced: 1 s for the first on a node, doubled each time, up to 15 minutes. */
export class FailedPodBackoff {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  /** Milliseconds to wait still; 0 when the pod may be replaced, which also counts as a new failure. */
  take(key: string): number {
    const now = this.clock.monotonic();
    const entry = this.entries.get(key);
    const left = entry ? entry.since + entry.delay - now : 0;
    if (left > 0) return left;
    const forgotten = !entry || now - entry.since > 2 * MAXIMUM_MILLISECONDS;
    this.entries.set(key, { delay: forgotten ? INITIAL_MILLISECONDS : Math.min(MAXIMUM_MILLISECONDS, entry.delay * 2), since: now });
    if (this.entries.size > TIDY_SIZE) this.tidy(now);
    return 0;
  }

  private tidy(now: number): void {
    for (const [key, entry] of this.entries) if (now - entry.since > 2 * MAXIMUM_MILLISECONDS) this.entries.delete(key);
  }
}
