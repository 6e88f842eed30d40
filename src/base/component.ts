/**
 * The life of a part of the program:
 *
 * ```
 * (made) --start()--> starting --resolved--> running --stop()--> stopping --resolved--> stopped
 *                        \--rejected--> stopped
 * ```
 *
 * Components are started in order and stopped in reverse. `stop` is idempotent and may be called at
 * any moment, also while `start` runs or after it failed; it releases everything that was taken.
 */
export interface Component {
  readonly name: string;
  /** Resolves once the component does its work. `signal` aborts when the start is given up. */
  start(signal: AbortSignal): Promise<void>;
  /** Releases everything, within `deadlineMilliseconds` where work has to be finished first. */
  stop(deadlineMilliseconds: number): Promise<void>;
}
