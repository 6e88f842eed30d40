import type { CancelTimer, Clock } from '../../base/clock.js';

/**
 * Keys by the second at which they are due. One timer serves all of them, so that ten thousand expiring
 * keys cost ten thousand map entries and nothing else.
 */
export class Expiry {
  private readonly due = new Map<string, number>();
  private readonly seconds = new Map<number, Set<string>>();
  private cancel: CancelTimer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDue: (keys: readonly string[]) => void,
  ) {}

  set(key: string, expiresAt: number): void {
    this.clear(key);
    const second = Math.ceil(expiresAt / 1000);
    this.due.set(key, second);
    let keys = this.seconds.get(second);
    if (!keys) this.seconds.set(second, (keys = new Set()));
    keys.add(key);
    this.arm();
  }

  clear(key: string): void {
    const second = this.due.get(key);
    if (second === undefined) return;
    this.due.delete(key);
    const keys = this.seconds.get(second)!;
    keys.delete(key);
    if (keys.size === 0) this.seconds.delete(second);
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.due.clear();
    this.seconds.clear();
  }

  private arm(): void {
    if (this.cancel || this.due.size === 0) return;
    this.cancel = this.clock.setTimeout(() => this.tick(), 1000, { unref: true });
  }

  private tick(): void {
    this.cancel = undefined;
    const now = this.clock.now() / 1000;
    const keys: string[] = [];
    for (const [second, waiting] of this.seconds) if (second <= now) keys.push(...waiting);
    // The keys stay due until their deletion is applied, so that a failed one is tried again.
    if (keys.length > 0) this.onDue(keys);
    this.arm();
  }
}
