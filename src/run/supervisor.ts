import { sleep, type Clock } from '../base/clock.js';
import type { Component } from '../base/component.js';
import { errorMessage } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { ComponentState } from './run-state.js';

const RESTART_FIRST_MILLISECONDS = 200;
const RESTART_MOST_MILLISECONDS = 10_000;

/** A part that is made anew for each run, so that a restart begins with a clean state. */
export interface SupervisedPart {
  readonly name: string;
  /** `fail` reports that the part died after its start; it is then stopped and started again. */
  readonly make: (fail: (error: Error) => void) => Component;
}

/**
 * Keeps one part running: a start that throws, or a failure reported later, leads to a restart with growing
 * pauses. It never takes the process with it.
 */
export class Supervisor {
  private current: Component | undefined;
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;
  private state: ComponentState;

  constructor(
    private readonly part: SupervisedPart,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly onChange: () => void,
  ) {
    this.state = { name: part.name, state: 'starting' };
  }

  get status(): ComponentState {
    return this.state;
  }

  /** Resolves when the part runs for the first time; rejects when its first start fails (it is not tried again then). */
  async start(): Promise<void> {
    const failed = await this.runOnce();
    this.loop = this.keepRunning(failed);
  }

  async stop(deadlineMilliseconds: number): Promise<void> {
    this.stopping.abort();
    await this.current?.stop(deadlineMilliseconds).catch((error: unknown) => this.log.warn('a component did not stop cleanly', { component: this.part.name, error: errorMessage(error) }));
    await this.loop;
    this.set({ name: this.part.name, state: 'stopped' });
  }

  /** Starts the part; gives a promise for its failure after that. */
  private async runOnce(): Promise<{ readonly failure: Promise<Error> }> {
    let fail: (error: Error) => void = () => undefined;
    const failure = new Promise<Error>((resolve) => (fail = resolve));
    const component = this.part.make(fail);
    this.current = component;
    try {
      await component.start(this.stopping.signal);
    } catch (error) {
      await component.stop(0).catch(() => undefined);
      throw error;
    }
    this.set({ name: this.part.name, state: 'running' });
    return { failure };
  }

  private async keepRunning(first: { readonly failure: Promise<Error> }): Promise<void> {
    let running: { readonly failure: Promise<Error> } | undefined = first;
    let pause = RESTART_FIRST_MILLISECONDS;
    const stopped = new Promise<undefined>((resolve) => this.stopping.signal.addEventListener('abort', () => resolve(undefined), { once: true }));
    while (!this.stopping.signal.aborted) {
      if (running) {
        const error: Error | undefined = await Promise.race([running.failure, stopped]);
        if (!error) return;
        this.log.error('a component failed and is started again', { component: this.part.name, error: error.stack ?? error.message });
        this.set({ name: this.part.name, state: 'restarting', message: error.message });
        await this.current?.stop(0).catch(() => undefined);
        running = undefined;
      }
      await sleep(this.clock, pause, this.stopping.signal);
      if (this.stopping.signal.aborted) return;
      try {
        running = await this.runOnce();
        pause = RESTART_FIRST_MILLISECONDS;
      } catch (error) {
        pause = Math.min(pause * 2, RESTART_MOST_MILLISECONDS);
        this.log.error('a component cannot be started', { component: this.part.name, error: errorMessage(error) });
        this.set({ name: this.part.name, state: 'restarting', message: errorMessage(error) });
      }
    }
  }

  private set(state: ComponentState): void {
    this.state = state;
    this.onChange();
  }
}
