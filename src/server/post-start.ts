import { sleep, type Clock } from '../base/clock.js';
import { errorMessage } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { Health } from './http/health.js';
import type { PostStartHook, ServerContext } from './server-context.js';

const FIRST_WAIT_MILLISECONDS = 50;
const LONGEST_WAIT_MILLISECONDS = 5_000;

/** Runs the hooks of a server after it listens; each is a health check of its own that is red until the hook is done. */
export class PostStart {
  private readonly done = new Set<string>();

  constructor(
    private readonly hooks: readonly PostStartHook[],
    private readonly clock: Clock,
    private readonly log: Logger,
    health: Health,
  ) {
    for (const { name } of hooks) {
      health.add({
        name: `poststarthook/${name}`,
        check: () => {
          if (!this.done.has(name)) throw new Error('not finished');
        },
      });
    }
  }

  /** Resolves when all hooks have succeeded, one after the other, or `signal` aborts. */
  async run(context: ServerContext, signal: AbortSignal): Promise<void> {
    for (const hook of this.hooks) {
      for (let wait = FIRST_WAIT_MILLISECONDS; !signal.aborted && !this.done.has(hook.name); wait = Math.min(wait * 2, LONGEST_WAIT_MILLISECONDS)) {
        try {
          await hook.run(context, signal);
          this.done.add(hook.name);
        } catch (error) {
          if (signal.aborted) return;
          this.log.warn('a post-start hook failed and will be tried again', { hook: hook.name, error: errorMessage(error) });
          await sleep(this.clock, wait, signal);
        }
      }
    }
  }
}
