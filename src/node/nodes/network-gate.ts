import type { CancelTimer, Clock } from '../../base/clock.js';

/** Holds pods back until their node's range of addresses is known, but not for ever: without somebody who assigns ranges none will come. */
export class NetworkGate {
  private opened = false;
  private waiters: (() => void)[] = [];
  private cancel: CancelTimer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly longestMilliseconds: number,
  ) {}

  open(): void {
    this.opened = true;
    this.cancel?.();
    for (const waiter of this.waiters.splice(0)) waiter();
  }

  whenOpen(): Promise<void> {
    if (this.opened) return Promise.resolve();
    this.cancel ??= this.clock.setTimeout(() => this.open(), this.longestMilliseconds, { unref: true });
    return new Promise((resolve) => this.waiters.push(resolve));
  }
}
