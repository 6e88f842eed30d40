import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { QueuedPod } from './queue/queued-pod.js';
import { nextTurn } from '../base/steps.js';

/** The event loop gets its turn after so long. */
const SLICE_MILLISECONDS = 5;

/** Tries pods one after the other, as long as there are any, and lets others have the event loop in between. */
export class SchedulingLoop {
  private running = false;
  private stopping = false;
  private finished: Promise<void> = Promise.resolve();
  private wakeUp: (() => void) | undefined;
  private ready = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly next: () => QueuedPod | undefined,
    private readonly attempt: (pod: QueuedPod) => Promise<void>,
    /** Resolves when the next pod may be tried; undefined: now. */
    private readonly congestion: () => Promise<void> | undefined,
  ) {}

  start(): void {
    if (this.running || this.stopping) return;
    this.running = true;
    this.finished = this.run();
  }

  /** There may be a pod to try. */
  wake(): void {
    this.ready = true;
    this.wakeUp?.();
  }

  /** Resolves when the attempt that is on its way is over. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wakeUp?.();
    await this.finished;
  }

  private async run(): Promise<void> {
    let sliceEnd = this.clock.monotonic() + SLICE_MILLISECONDS;
    while (!this.stopping) {
      const congestion = this.congestion();
      if (congestion) await congestion;
      this.ready = false;
      const pod = this.next();
      if (!pod) {
        await this.pause();
        sliceEnd = this.clock.monotonic() + SLICE_MILLISECONDS;
        continue;
      }
      try {
        await this.attempt(pod);
      } catch (error) {
        this.log.error('attempt failed', { pod: pod.info.key, error });
      }
      if (this.clock.monotonic() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = this.clock.monotonic() + SLICE_MILLISECONDS;
    }
  }

  private async pause(): Promise<void> {
    if (this.ready || this.stopping) return;
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve;
    });
    this.wakeUp = undefined;
    // Pods tend to come in bunches; their events share a turn of the event loop.
    await nextTurn();
  }
}
