import { Worker } from 'node:worker_threads';
import type { CancelTimer, Clock } from '../clock.js';
import { errorMessage, KubeError } from '../errors.js';
import type { Question, Reply } from './messages.js';

export interface ThreadOptions {
  /** The program as one CommonJS script; it calls `answerQuestions`. */
  readonly source: string;
  readonly clock: Clock;
  /** It ends after so long without a question; the next one starts it again. */
  readonly idleMilliseconds: number;
  /** A question that takes longer is given up, and with it the thread that works on it. */
  readonly longestMilliseconds: number;
  /** Megabytes of objects that the thread may hold. */
  readonly maxMegabytes: number;
}

interface Pending<Q, A> {
  readonly question: Q;
  readonly handOver: readonly ArrayBuffer[];
  resolve(answer: A): void;
  reject(error: Error): void;
}

/**
 * Work that would keep the event loop busy, done in a thread of its own. It is started at the first question, works on one
 * at a time, in their order, and does not keep the process alive.
 */
export class Thread<Q, A> {
  private worker: Worker | undefined;
  private readonly waiting: Pending<Q, A>[] = [];
  private current: Pending<Q, A> | undefined;
  private number = 0;
  private cancelTimer: CancelTimer | undefined;
  private closed = false;

  constructor(private readonly options: ThreadOptions) {}

  /** Rejects with `KUBE_THREAD` when the thread fails, ends or takes too long. Buffers in `handOver` are not usable here any more. */
  ask(question: Q, handOver: readonly ArrayBuffer[] = []): Promise<A> {
    if (this.closed) return Promise.reject(failure('it was closed'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, handOver, resolve, reject });
      if (!this.current) this.next();
    });
  }

  /** Ends the thread; what it was asked and has not answered is rejected. */
  async close(): Promise<void> {
    this.closed = true;
    await this.end('it was closed');
    for (const { reject } of this.waiting.splice(0)) reject(failure('it was closed'));
  }

  private next(): void {
    this.cancelTimer?.();
    this.current = this.waiting.shift();
    const { clock, idleMilliseconds, longestMilliseconds } = this.options;
    if (!this.current) {
      this.cancelTimer = clock.setTimeout(() => void this.end('it was idle'), idleMilliseconds, { unref: true });
      return;
    }
    this.cancelTimer = clock.setTimeout(() => void this.end(`it took longer than ${longestMilliseconds} ms`), longestMilliseconds, { unref: true });
    this.worker ??= this.start();
    const { question, handOver } = this.current;
    this.worker.postMessage({ number: ++this.number, question } satisfies Question<Q>, [...handOver]);
  }

  private start(): Worker {
    const { source, maxMegabytes } = this.options;
    const worker = new Worker(source, { eval: true, env: {}, execArgv: [], argv: [], resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } });
    worker.unref();
    worker.on('message', (reply: Reply<A>) => {
      if (reply.number !== this.number || worker !== this.worker) return;
      if ('answer' in reply) this.settle((pending) => pending.resolve(reply.answer));
      else this.settle((pending) => pending.reject(failure(reply.failure)));
    });
    let why = 'it ended';
    worker.on('error', (error) => (why = errorMessage(error)));
    worker.on('exit', () => {
      if (worker === this.worker) this.lost(why);
    });
    return worker;
  }

  private async end(why: string): Promise<void> {
    this.cancelTimer?.();
    const { worker } = this;
    this.lost(why);
    await worker?.terminate();
  }

  private lost(why: string): void {
    this.worker = undefined;
    if (this.current) this.settle((pending) => pending.reject(failure(why)));
  }

  private settle(how: (pending: Pending<Q, A>) => void): void {
    const { current } = this;
    this.current = undefined;
    if (current) how(current);
    if (!this.closed) this.next();
  }
}

function failure(why: string): KubeError {
  return new KubeError('KUBE_THREAD', why);
}
