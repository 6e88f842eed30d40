/** Lets through `burst` at once and `perSecond` on average. Full at first. Times in milliseconds. */
export class TokenBucket {
  private tokens: number;
  private filledAt: number;

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    now: number,
  ) {
    this.tokens = burst;
    this.filledAt = now;
  }

  /** Takes one token; false when there is none. `now` must not go back. */
  take(now: number): boolean {
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.filledAt) * this.perSecond) / 1000);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
