/** Cancels a pending timer. Calling it again, or after the timer fired, does nothing. */
export type CancelTimer = () => void;

/**
 * The only source of time in the program. Everything that waits or looks at the clock takes one, so
 * that tests can run on virtual time.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic milliseconds, for measuring durations; unrelated to {@link now}. */
  monotonic(): number;
  /** Calls `fn` once after `milliseconds`; an unreferenced timer does not keep the process alive. */
  setTimeout(fn: () => void, milliseconds: number, options?: { readonly unref?: boolean }): CancelTimer;
}

/** The real clock. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  setTimeout(fn: () => void, milliseconds: number, options?: { readonly unref?: boolean }): CancelTimer {
    // Node fires at once for delays above 2^31-1; a longer wait is cut into pieces.
    const longest = 2 ** 31 - 1;
    let handle: NodeJS.Timeout;
    const arm = (left: number): void => {
      handle = setTimeout(() => (left > longest ? arm(left - longest) : fn()), Math.min(left, longest));
      if (options?.unref) handle.unref();
    };
    arm(Math.max(0, milliseconds));
    return () => clearTimeout(handle);
  }
}

interface FakeTimer {
  readonly at: number;
  readonly order: number;
  readonly fn: () => void;
}

/** Virtual time for tests: nothing happens until {@link FakeClock.advance} is called. */
export class FakeClock implements Clock {
  private time: number;
  private order = 0;
  private timers: FakeTimer[] = [];

  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.time = start;
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  setTimeout(fn: () => void, milliseconds: number): CancelTimer {
    const timer: FakeTimer = { at: this.time + Math.max(0, milliseconds), order: this.order++, fn };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Number of timers that wait. */
  get pending(): number {
    return this.timers.length;
  }

  /** Moves time on, firing due timers in order and letting promises settle between them. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    for (;;) {
      await settle();
      const next = this.timers
        .filter((timer) => timer.at <= end)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (!next) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.time = Math.max(this.time, next.at);
      next.fn();
    }
    this.time = end;
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Resolves after `milliseconds`, or at once when `signal` aborts (it never rejects). */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
  });
}
