import { sleep, type Clock } from '../../../base/clock.js';
import type { Random } from '../../../base/random.js';
import { RegistryError } from './registry-error.js';

/** When and how often something is tried again. */
export interface RetryOptions {
  /** Tries in all. Default 5. */
  readonly attempts: number;
  /** Milliseconds before the second try; twice as long before each further one. Default 1000. */
  readonly firstDelay: number;
  /** Longest wait, also when the registry asks for more. Default 30 000. */
  readonly longestDelay: number;
}

export const DEFAULT_RETRY: RetryOptions = { attempts: 5, firstDelay: 1000, longestDelay: 30_000 };

/** Tries again what failed for a time. `progressed` says that a try came further than those before, which begins the count anew. */
export class Retry {
  constructor(private readonly clock: Clock, private readonly random: Random, private readonly options: RetryOptions) {}

  async run<T>(attempt: () => Promise<T>, on: { readonly retry: (error: RegistryError, delay: number) => void; readonly progressed?: () => boolean; readonly signal?: AbortSignal }): Promise<T> {
    let failures = 0;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        on.signal?.throwIfAborted();
        failures = on.progressed?.() ? 1 : failures + 1;
        if (!(error instanceof RegistryError) || !error.temporary || failures >= this.options.attempts) throw error;
        const backoff = this.options.firstDelay * 2 ** (failures - 1) * (0.8 + 0.4 * this.random.float());
        const delay = Math.min(this.options.longestDelay, Math.max(backoff, error.retryAfter ?? 0));
        on.retry(error, delay);
        await sleep(this.clock, delay, on.signal);
        on.signal?.throwIfAborted();
      }
    }
  }
}
