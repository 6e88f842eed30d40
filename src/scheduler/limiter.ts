/** Lets at most `limit` tasks run at once; the others wait in order. */
export class Limiter {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private head = 0;

  constructor(private readonly limit: number) {}

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= this.limit) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await task();
    } finally {
      // The place goes straight to the next in line.
      const next = this.waiting[this.head];
      if (next) {
        this.head++;
        if (this.head > 1024) {
          this.waiting.splice(0, this.head);
          this.head = 0;
        }
        next();
      } else this.running--;
    }
  }
}
