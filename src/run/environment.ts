import { Registry } from 'prom-client';
import { SystemClock, type Clock } from '../base/clock.js';
import { noFailpoints, type Failpoints } from '../base/failpoint.js';
import type { Logger } from '../base/log.js';
import type { Commands } from '../base/process/commands.js';
import { SystemRandom, type Random } from '../base/random.js';

/** The outside world as the roles of one cluster see it. */
export interface RunEnvironment {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly failpoints: Failpoints;
  /** Runs programs of the host; present where pods are native containers. */
  readonly commands?: Commands;
}

/** The real world. */
export function systemEnvironment(log: Logger): RunEnvironment {
  return { clock: new SystemClock(), random: new SystemRandom(), log, metrics: new Registry(), failpoints: noFailpoints };
}
