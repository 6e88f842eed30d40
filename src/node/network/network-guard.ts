import type { Clock } from '../../base/clock.js';
import type { Component } from '../../base/component.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { Rounds } from '../../base/rounds.js';
import type { PodNetwork } from './pod-network.js';

/** Milliseconds between two looks: firewalls that are loaded anew flush everybody's rules. */
const PERIOD = 30_000;

/** Looks after the pods' rules while it runs: what others remove comes back within 30 seconds. Failures are logged. */
export class NetworkGuard implements Component {
  readonly name = 'network guard';
  private readonly rounds: Rounds;

  constructor(
    private readonly network: Pick<PodNetwork, 'repair'>,
    private readonly tools: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.rounds = new Rounds(tools.clock, async () => {
      await this.look();
      return PERIOD;
    });
  }

  start(): Promise<void> {
    this.rounds.start(PERIOD);
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return this.rounds.stop();
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
