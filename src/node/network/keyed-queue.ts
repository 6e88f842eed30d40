/** Runs work of one key in turn; keys do not wait for each other. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<void>>();

  /** Runs `work` once all earlier work of this key has ended, however it ended. */
  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(() => undefined, () => undefined);
    this.tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}
