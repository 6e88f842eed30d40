import type { Random } from '../base/random.js';

/** Numbers of an exponential back-off. */
export interface BackoffOptions {
  /** First delay. */
  readonly initialMilliseconds: number;
  /** Longest delay, before jitter. */
  readonly maximumMilliseconds: number;
  /** Growth per failure; default 2. */
  readonly factor?: number;
  /** Each delay is stretched by a random share of itself up to this; default 1. */
  readonly jitter?: number;
}

/** What reflectors wait after failures: 0.8 s to 30 s, doubled each time, with jitter. */
export const REFLECTOR_BACKOFF: BackoffOptions = { initialMilliseconds: 800, maximumMilliseconds: 30_000 };

/** Delays that grow with each failure in a row. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly random: Random,
    private readonly options: BackoffOptions,
  ) {}

  /** The next delay in milliseconds. */
  next(): number {
    const { initialMilliseconds, maximumMilliseconds, factor = 2, jitter = 1 } = this.options;
    const base = Math.min(maximumMilliseconds, initialMilliseconds * factor ** this.failures);
    if (base < maximumMilliseconds) this.failures += 1;
    return base * (1 + jitter * this.random.float());
  }

  /** Starts over after a success. */
  reset(): void {
    this.failures = 0;
  }
}
