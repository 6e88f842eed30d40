import type { Clock } from '../../../base/clock.js';

interface Entry<T> {
  readonly at: number;
  readonly value: Promise<T>;
}

/** Values that several ask for at the same time are read once, and are good for a while after that. A failure is told to all who wait for it, and not kept. */
export class Recent<T> {
  private readonly entries = new Map<string, Entry<T>>();

  constructor(
    private readonly clock: Clock,
    private readonly milliseconds: number,
  ) {}

  get(key: string, read: () => Promise<T>): Promise<T> {
    const now = this.clock.monotonic();
    const known = this.entries.get(key);
    if (known && now - known.at < this.milliseconds) return known.value;
    for (const [other, { at }] of this.entries) if (now - at >= this.milliseconds) this.entries.delete(other);
    const value = read();
    const entry: Entry<T> = { at: now, value };
    this.entries.set(key, entry);
    value.catch(() => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    });
    return value;
  }
}
