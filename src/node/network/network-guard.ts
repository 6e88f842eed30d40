import type { CancelTimer, Clock } from '../../base/clock.js';
import type { Component } from '../../base/component.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { PodNetwork } from './pod-network.js';

/** Milliseconds between two looks: firewalls that are loaded anew flush everybody's rules. */
const PERIOD = 30_000;

/** Looks after the pods' rules while it runs: what others remove comes back within 30 seconds. Failures are logged. */
export class NetworkGuard implements Component {
  readonly name = 'network guard';
  private cancel: CancelTimer | undefined;
  private stopped = false;
  private round: Promise<void> | undefined;

  constructor(
    private readonly network: Pick<PodNetwork, 'repair'>,
    private readonly tools: { readonly clock: Clock; readonly log: Logger },
  ) {}

  start(): Promise<void> {
    this.arm();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    await this.round;
  }

  private arm(): void {
    if (this.stopped) return;
    this.cancel = this.tools.clock.setTimeout(() => {
      this.round = this.look().finally(() => this.arm());
    }, PERIOD, { unref: true });
  }

  private async look(): Promise<void> {
    const { log } = this.tools;
    try {
      if (await this.network.repair()) log.warn('somebody changed the rules of pods; they are written anew');
    } catch (error) {
      log.warn('the rules of pods could not be looked at', { error: errorMessage(error) });
    }
  }
}
