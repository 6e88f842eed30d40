import { sleep } from '../../base/clock.js';
import type { Component } from '../../base/component.js';
import { errorMessage } from '../../base/errors.js';
import { runLeaderElection, type LeaderElectionOptions } from './leader-election.js';
import { whenAborted } from '../../base/abort.js';

/** How long the component may take to stop when the lease is lost. */
const STOP_MILLISECONDS = 5_000;

/**
 * A component of which only the leader's runs: `make` is called each time the lease is won, what it made is stopped when the lease is lost.
 * Its own `start` does not wait for the lease.
 */
export function electedComponent(name: string, options: LeaderElectionOptions, make: () => Component): Component {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  const lead = async (signal: AbortSignal): Promise<void> => {
    const component = make();
    try {
      await component.start(signal);
      await whenAborted(signal);
    } catch (error) {
      if (!signal.aborted) options.log.error('the leading component failed', { component: name, error: errorMessage(error) });
    } finally {
      await component.stop(STOP_MILLISECONDS);
    }
  };
  const campaign = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await runLeaderElection(options, lead, stopping.signal);
      await sleep(options.clock, options.retryPeriodMilliseconds ?? 2_000, stopping.signal);
    }
  };
  return {
    name,
    start: () => {
      running ??= campaign();
      return Promise.resolve();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
