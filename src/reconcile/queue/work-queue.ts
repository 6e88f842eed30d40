import type { CancelTimer, Clock } from '../../base/clock.js';
import type { WorkQueue } from '../reconcile.js';
import { noQueueMetrics, type QueueMetrics } from './metrics.js';

/** Settings of a queue; all but the clock optional. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Name in metrics. */
  readonly name?: string;
  readonly metrics?: QueueMetrics;
  /** First delay of {@link WorkQueue.addRateLimited}; default 5 ms. */
  readonly initialMilliseconds?: number;
  /** Longest one; default 1000 s. */
  readonly maximumMilliseconds?: number;
}

/** What the worker loop sees of a queue. */
export interface WorkSource extends WorkQueue {
  /** The next key, held until {@link done}; undefined once the queue is closed. */
  next(): Promise<string | undefined>;
  /** Lets a key go that {@link next} gave; when it was added meanwhile it waits again. */
  done(key: string): void;
  /** How often the key was added with back-off since it was last forgotten. */
  failures(key: string): number;
  /** Cancels timers and ends the waits in {@link next}. Later additions are dropped. Idempotent. */
  close(): void;
}

/** A first-in, first-out queue of keys; see {@link WorkQueue} for its guarantees. */
export function createWorkQueue(options: WorkQueueOptions): WorkSource {
  return new KeyQueue(options);
}

interface Delayed {
  readonly at: number;
  readonly cancel: CancelTimer;
}

class KeyQueue implements WorkSource {
  private ready: string[] = [];
  private head = 0;
  /** Keys that wait or have to be worked on again. */
  private readonly dirty = new Map<string, number>();
  private readonly processing = new Set<string>();
  private readonly failed = new Map<string, number>();
  private readonly delayed = new Map<string, Delayed>();
  private waiting: ((key: string | undefined) => void)[] = [];
  private closed = false;
  private readonly metrics: QueueMetrics;

  constructor(private readonly options: WorkQueueOptions) {
    this.metrics = options.metrics ?? noQueueMetrics;
  }

  get length(): number {
    return this.ready.length - this.head;
  }

  add(key: string): void {
    if (this.closed || this.dirty.has(key)) return;
    this.dirty.set(key, this.options.clock.monotonic());
    this.metrics.added(this.name);
    if (!this.processing.has(key)) this.enqueue(key);
  }

  addAfter(key: string, milliseconds: number): void {
    if (this.closed) return;
    if (milliseconds <= 0) return this.add(key);
    const at = this.options.clock.monotonic() + milliseconds;
    const pending = this.delayed.get(key);
    if (pending) {
      if (pending.at <= at) return;
      pending.cancel();
    }
    const cancel = this.options.clock.setTimeout(() => {
      this.delayed.delete(key);
      this.add(key);
    }, milliseconds);
    this.delayed.set(key, { at, cancel });
  }

  addRateLimited(key: string): void {
    const { initialMilliseconds = 5, maximumMilliseconds = 1_000_000 } = this.options;
    const failures = this.failed.get(key) ?? 0;
    this.failed.set(key, failures + 1);
    this.metrics.retried(this.name);
    this.addAfter(key, Math.min(maximumMilliseconds, initialMilliseconds * 2 ** failures));
  }

  forget(key: string): void {
    this.failed.delete(key);
  }

  failures(key: string): number {
    return this.failed.get(key) ?? 0;
  }

  next(): Promise<string | undefined> {
    if (this.closed) return Promise.resolve(undefined);
    if (this.length > 0) {
      const key = this.ready[this.head]!;
      this.head += 1;
      if (this.head > 1024 && this.head * 2 > this.ready.length) {
        this.ready = this.ready.slice(this.head);
        this.head = 0;
      }
      this.take(key);
      return Promise.resolve(key);
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  done(key: string): void {
    this.processing.delete(key);
    if (this.dirty.has(key) && !this.closed) this.enqueue(key);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const delayed of this.delayed.values()) delayed.cancel();
    this.delayed.clear();
    this.ready = [];
    this.head = 0;
    this.dirty.clear();
    for (const resolve of this.waiting.splice(0)) resolve(undefined);
  }

  private get name(): string {
    return this.options.name ?? '';
  }

  private enqueue(key: string): void {
    const waiter = this.waiting.shift();
    if (waiter) {
      this.take(key);
      waiter(key);
    } else this.ready.push(key);
    this.metrics.depth(this.name, this.length);
  }

  private take(key: string): void {
    const since = this.dirty.get(key);
    this.dirty.delete(key);
    this.processing.add(key);
    if (since !== undefined) this.metrics.waited(this.name, (this.options.clock.monotonic() - since) / 1000);
  }
}
