/** Lets at most `limit` tasks run at once; the others wait in order. */
export class Limiter {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private head = 0;
  private readonly relieved: (() => void)[] = [];

  /** Beyond `backlog` waiting tasks the limiter is congested. */
  constructor(
    private readonly limit: number,
    private readonly backlog = Infinity,
  ) {}

  /** So many tasks wait that making more of them has no use. */
  get congested(): boolean {
    return this.waiting.length - this.head > this.backlog;
  }

  /** Resolves when it is no longer congested. */
  async relief(): Promise<void> {
    if (this.congested) await new Promise<void>((resolve) => this.relieved.push(resolve));
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= this.limit) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await task();
    } finally {
      this.passOn();
    }
  }

  /** The place goes straight to the next in line. */
  private passOn(): void {
    const next = this.waiting[this.head];
    if (!next) {
      this.running--;
      return;
    }
    this.head++;
    if (this.head > 1024) {
      this.waiting.splice(0, this.head);
      this.head = 0;
    }
    next();
    if (!this.congested) for (const resolve of this.relieved.splice(0)) resolve();
  }
}
