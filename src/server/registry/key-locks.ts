/**
 * Lets one read-modify-write per key be under way at a time, so that many writers of one object wait for each other instead
 * of comparing in vain. Only an optimisation: correctness comes from the store's comparison.
 */
export class KeyLocks {
  private readonly held = new Map<string, Promise<void>>();

  /** Resolves when nobody holds `key`. */
  async free(key: string): Promise<void> {
    for (let holder = this.held.get(key); holder; holder = this.held.get(key)) await holder;
  }

  isHeld(key: string): boolean {
    return this.held.has(key);
  }

  /** Holds `key` until `work` settles. */
  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    let release: () => void = () => undefined;
    const promise = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.held.set(key, promise);
    try {
      return await work();
    } finally {
      if (this.held.get(key) === promise) this.held.delete(key);
      release();
    }
  }
}
