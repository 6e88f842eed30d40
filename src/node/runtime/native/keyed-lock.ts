/** Lets work of the same key happen one after the other, in the order in which it was asked for. */
export class KeyedLock {
  private readonly last = new Map<string, Promise<void>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key);
    let done!: () => void;
    const mine = new Promise<void>((resolve) => (done = resolve));
    this.last.set(key, mine);
    try {
      await before;
      return await work();
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
      done();
    }
  }
}
