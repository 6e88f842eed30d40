import { StatusError } from '../../api/status-error.js';
import type { Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Reconcile } from '../reconcile.js';
import { EventLoopTurns } from './event-loop-turns.js';
import { noQueueMetrics, type QueueMetrics } from './metrics.js';
import type { WorkSource } from './work-queue.js';

/** What {@link runWorkers} needs. */
export interface WorkersOptions {
  /** In log lines and metrics. */
  readonly name: string;
  readonly queue: WorkSource;
  /** Keys worked on at the same time; default 5. */
  readonly workers?: number;
  readonly reconcile: Reconcile;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: QueueMetrics;
  /** Work begins when it resolves (informers are synced); when it rejects nothing is worked on. */
  readonly ready?: Promise<void>;
}

/** A running set of workers. */
export interface Workers {
  /** Closes the queue and resolves when the reconciles under way have ended. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Takes keys off the queue and reconciles them. A failed key comes back with exponential back-off; a `TypeError` is a bug of
 * ours and is not tried again before the next event. Long runs of work let the event loop turn in between.
 */
export function runWorkers(options: WorkersOptions): Workers {
  const { queue, clock } = options;
  const turns = new EventLoopTurns(clock);
  const loop = async (): Promise<void> => {
    for (;;) {
      const key = await queue.next();
      if (key === undefined) return;
      try {
        await work(options, key);
      } finally {
        queue.done(key);
      }
      await turns.maybeYield();
    }
  };
  const start = async (): Promise<void> => {
    try {
      await options.ready;
    } catch {
      return;
    }
    await Promise.all(Array.from({ length: options.workers ?? 5 }, loop));
  };
  const running = start();
  return {
    stop: async () => {
      queue.close();
      await running;
    },
  };
}

async function work(options: WorkersOptions, key: string): Promise<void> {
  const { name, queue, clock, log, metrics = noQueueMetrics } = options;
  const started = clock.monotonic();
  try {
    const result = await options.reconcile(key);
    queue.forget(key);
    if (result) queue.addAfter(key, result.requeueAfterMilliseconds);
  } catch (error) {
    if (error instanceof TypeError) {
      queue.forget(key);
      log.error('reconcile failed with a bug; not tried again before the next event', { controller: name, key, error: error.message, stack: error.stack });
    } else {
      const usual = StatusError.is(error, 'Conflict') || StatusError.is(error, 'AlreadyExists') || queue.failures(key) < 3;
      log[usual ? 'debug' : 'warn']('reconcile failed; trying again', { controller: name, key, error: errorMessage(error), failures: queue.failures(key) + 1 });
      queue.addRateLimited(key);
    }
  } finally {
    metrics.worked(name, (clock.monotonic() - started) / 1000);
  }
}
