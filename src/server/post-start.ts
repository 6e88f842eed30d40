import { sleep, type Clock } from '../base/clock.js';
import { StatusError } from '../api/status-error.js';
import { errorMessage } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { Health } from './http/health.js';
import type { PostStartHook, ServerContext } from './server-context.js';

const FIRST_WAIT_MILLISECONDS = 50;
const LONGEST_WAIT_MILLISECONDS = 5_000;
/** Whoever has locked themselves out with a webhook that denies everything must be let in to mend it. */
const PATIENCE_MILLISECONDS = 5_000;

/** Runs the hooks of a server after it listens; each is a health check of its own that is red until the hook is done. */
export class PostStart {
  private readonly done = new Set<string>();
  /** Why the last attempt failed, by hook. */
  private readonly failures = new Map<string, unknown>();

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
          if (!this.done.has(name)) throw new Error('not finished', { cause: this.failures.get(name) });
        },
      });
    }
  }

  /**
   * Runs the hooks one after the other; one that is refused for long is left behind and tried again beside the others. `ready` is called when each has succeeded or been
   * left behind. Resolves when all have succeeded, or `signal` aborts.
   */
  async run(context: ServerContext, signal: AbortSignal, ready: () => void): Promise<void> {
    const leftBehind: Promise<void>[] = [];
    for (const hook of this.hooks) {
      const began = this.clock.monotonic();
      const isPatient = (error: unknown): boolean => !isRefusal(error) || this.clock.monotonic() - began < PATIENCE_MILLISECONDS;
      if ((await this.attempt(hook, context, signal, isPatient)) || signal.aborted) continue;
      this.log.error('the server goes on without what a post-start hook makes', { hook: hook.name });
      this.done.add(hook.name);
      leftBehind.push(this.attempt(hook, context, signal, () => true).then(() => undefined));
    }
    ready();
    await Promise.all(leftBehind);
  }

  /** Tries until the hook succeeds, `isPatient` says no, or `signal` aborts; whether it succeeded. */
  private async attempt(hook: PostStartHook, context: ServerContext, signal: AbortSignal, isPatient: (error: unknown) => boolean): Promise<boolean> {
    for (let wait = FIRST_WAIT_MILLISECONDS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MILLISECONDS)) {
      try {
        await hook.run(context, signal);
        this.done.add(hook.name);
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        this.failures.set(hook.name, error);
        this.log.warn('a post-start hook failed and will be tried again', { hook: hook.name, error: errorMessage(error) });
        if (!isPatient(error)) return false;
        await sleep(this.clock, wait, signal);
      }
    }
    return false;
  }
}

/** The API said no, as a webhook makes it do; that the store cannot be reached is none. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.code !== 503 && error.code !== 504;
}
