import type { Registry } from 'prom-client';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Random } from '../base/random.js';
import type { Client, InformerFactory } from '../client/index.js';
import type { EventRecorder } from '../reconcile/index.js';
import type { PostJson } from './extender.js';

/** What the scheduler works with. */
export interface SchedulerEnvironment {
  /** Acts as `system:kube-scheduler`. */
  readonly client: Client;
  /** Informers are asked for when the scheduler starts; it starts the factory and waits for it, but does not stop it. */
  readonly informers: InformerFactory;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Registry;
  /** How HTTP extenders are reached; default: `fetch`. */
  readonly post?: PostJson;
}
