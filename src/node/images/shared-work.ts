/** Who waits for some work. */
interface Waiter<E> {
  readonly listener: ((event: E) => void) | undefined;
}

interface Work<T, E> {
  readonly result: Promise<T>;
  readonly waiters: Set<Waiter<E>>;
  readonly stop: AbortController;
}

/** Work of the same key is done once for all who ask for it meanwhile. All hear its events; it is given up when the last one gives up. */
export class SharedWork<T, E> {
  private readonly running = new Map<string, Work<T, E>>();

  run(key: string, start: (signal: AbortSignal, emit: (event: E) => void) => Promise<T>, options: { readonly signal?: AbortSignal; readonly listener?: (event: E) => void }): Promise<T> {
    const { signal, listener } = options;
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const work = this.running.get(key) ?? this.begin(key, start);
    const waiter: Waiter<E> = { listener };
    work.waiters.add(waiter);
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        work.waiters.delete(waiter);
        if (work.waiters.size === 0) {
          if (this.running.get(key) === work) this.running.delete(key);
          work.stop.abort(signal?.reason);
        }
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      work.result.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
  }

  /** Gives up everything and waits until it has ended. */
  async stop(reason: Error): Promise<void> {
    const all = [...this.running.values()];
    for (const work of all) work.stop.abort(reason);
    await Promise.allSettled(all.map((work) => work.result));
  }

  private begin(key: string, start: (signal: AbortSignal, emit: (event: E) => void) => Promise<T>): Work<T, E> {
    const stop = new AbortController();
    const waiters = new Set<Waiter<E>>();
    const emit = (event: E): void => {
      for (const { listener } of waiters) listener?.(event);
    };
    // Not at once, so that the first who asks hears everything.
    const result = Promise.resolve().then(() => start(stop.signal, emit));
    const work: Work<T, E> = { result, waiters, stop };
    this.running.set(key, work);
    const ended = (): void => {
      if (this.running.get(key) === work) this.running.delete(key);
    };
    result.then(ended, ended);
    return work;
  }
}
