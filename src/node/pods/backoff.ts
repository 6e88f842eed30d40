/** First delay after a failure, and the longest one, in milliseconds. */
const INITIAL = 10_000;
const MAXIMUM = 300_000;

interface Entry {
  delay: number;
  updatedAt: number;
}

/** Exponential delays by key: 10 s, doubled up to 5 minutes, forgotten after twice that long without a failure. Times are milliseconds since the epoch. */
export class BackoffTable {
  private entries: Map<string, Entry> | undefined;

  /** Milliseconds that are left to wait for something that happened at `since`; 0 when there is nothing to wait for. */
  remaining(key: string, since: number, now: number): number {
    const entry = this.entries?.get(key);
    if (!entry || this.expired(entry, since)) return 0;
    return Math.max(0, since + entry.delay - now);
  }

  /** As {@link remaining}, counted from the last failure. */
  remainingSinceUpdate(key: string, now: number): number {
    const entry = this.entries?.get(key);
    if (!entry || this.expired(entry, now)) return 0;
    return Math.max(0, entry.updatedAt + entry.delay - now);
  }

  /** The present delay. */
  delay(key: string): number {
    return this.entries?.get(key)?.delay ?? 0;
  }

  /** Counts a failure that happened at `since`. */
  next(key: string, since: number, now: number): void {
    this.entries ??= new Map();
    const entry = this.entries.get(key);
    if (!entry || this.expired(entry, since)) this.entries.set(key, { delay: INITIAL, updatedAt: now });
    else {
      entry.delay = Math.min(MAXIMUM, entry.delay * 2);
      entry.updatedAt = now;
    }
  }

  forget(key: string): void {
    this.entries?.delete(key);
  }

  private expired(entry: Entry, at: number): boolean {
    return at - entry.updatedAt > MAXIMUM * 2;
  }
}
