import { setMaxListeners } from 'node:events';
import { sleep, type Clock } from '../base/clock.js';
import type { Component } from '../base/component.js';
import { KubeError, errorMessage } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { Random } from '../base/random.js';
import { Backoff, createInformerFactory, type Client, type InformerFactory } from '../client/index.js';
import { createEventRecorder, type QueueMetrics, type StoppableEventRecorder } from '../reconcile/index.js';
import type { Controller, ControllerContext, ControllerDescriptor, ControllerOptions } from './controller.js';
import { CONTROLLERS } from './descriptors.js';
import { whenAborted } from '../base/abort.js';

/** What a controller manager needs. */
export interface ControllerManagerOptions {
  /** The manager's own identity (`system:kube-controller-manager`), with which the shared informers list and watch. */
  readonly client: Client;
  /** A client that acts as `system:serviceaccount:kube-system:<name>`. */
  readonly clientFor: (serviceAccount: string) => Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: QueueMetrics;
  readonly options: ControllerOptions;
  /** As upstream's `--controllers`: `*` is all that are on by default, `name` one more, `-name` one less. Default `['*']`. */
  readonly controllers?: readonly string[];
  /** Default: the table in `descriptors.ts`. */
  readonly descriptors?: readonly ControllerDescriptor[];
  /** Informers to share with others; they are neither started nor stopped here. Default: the manager's own. */
  readonly informers?: InformerFactory;
}

/** How long the start waits for the informers. */
const SYNC_MILLISECONDS = 15_000;
/** A controller that ended is started anew after 1 to 60 s. */
const RESTART = { initialMilliseconds: 1_000, maximumMilliseconds: 60_000 };

/**
 * Runs the enabled controllers over one set of informers. A controller that fails is restarted alone. Two descriptors of one name, and names in
 * `controllers` that nobody has, are `KUBE_CONTROLLERS_INVALID` at once.
 */
export function createControllerManager(options: ControllerManagerOptions): Component {
  const enabled = enabledControllers(options.descriptors ?? CONTROLLERS, options.controllers ?? ['*']);
  const informers = options.informers ?? createInformerFactory({ client: options.client, clock: options.clock, random: options.random, log: options.log });
  const stopping = new AbortController();
  // Every controller listens to it.
  setMaxListeners(0, stopping.signal);
  const running: RunningController[] = [];
  let stopped: Promise<void> | undefined;

  const stop = async (deadlineMilliseconds: number): Promise<void> => {
    stopping.abort();
    await Promise.all(running.map((controller) => controller.stop(deadlineMilliseconds)));
    if (!options.informers) await informers.stop();
  };
  return {
    name: 'controllers',
    async start(signal) {
      for (const descriptor of enabled) running.push(new RunningController(descriptor, options, informers, stopping.signal));
      // All handlers are added before the first object arrives.
      await Promise.all(running.map((controller) => controller.firstStart));
      if (!options.informers) informers.start();
      await syncedOrLate(informers, options, signal);
      options.log.info('controllers are running', { count: enabled.length });
    },
    stop: (deadlineMilliseconds) => (stopped ??= stop(deadlineMilliseconds)),
  };
}

/** One resource that cannot be read must not keep all the others' controllers from being reported as running. */
async function syncedOrLate(informers: InformerFactory, { clock, log }: ControllerManagerOptions, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const late = sleep(clock, SYNC_MILLISECONDS, done.signal).then(() => {
    if (!done.signal.aborted && !signal.aborted) log.warn('some informers are not synced yet; controllers that need them wait');
  });
  try {
    await Promise.race([informers.waitForSync(signal), late]);
  } finally {
    done.abort();
  }
}

/** The descriptors that a list in the form of `--controllers` turns on. */
export function enabledControllers(descriptors: readonly ControllerDescriptor[], list: readonly string[]): readonly ControllerDescriptor[] {
  const names = new Set<string>();
  for (const { name } of descriptors) {
    if (names.has(name)) throw new KubeError('KUBE_CONTROLLERS_INVALID', `two controllers are named ${name}`);
    names.add(name);
  }
  for (const entry of list) {
    const name = entry.replace(/^-/, '');
    if (entry !== '*' && !names.has(name)) throw new KubeError('KUBE_CONTROLLERS_INVALID', `there is no controller named ${name}; known are ${[...names].sort().join(', ')}`);
  }
  return descriptors.filter(({ name, enabledByDefault }) => !list.includes(`-${name}`) && (list.includes(name) || (enabledByDefault && list.includes('*'))));
}

class RunningController {
  /** Resolves when the first start succeeded or failed. */
  readonly firstStart: Promise<void>;
  private controller: Controller | undefined;
  private readonly recorder: StoppableEventRecorder;
  private readonly supervision: Promise<void>;

  constructor(
    private readonly descriptor: ControllerDescriptor,
    private readonly options: ControllerManagerOptions,
    private readonly informers: InformerFactory,
    private readonly signal: AbortSignal,
  ) {
    const client = this.client;
    this.recorder = createEventRecorder({ client, component: descriptor.name, clock: options.clock, random: options.random, log: this.log });
    let started = (): void => undefined;
    this.firstStart = new Promise((resolve) => (started = resolve));
    this.supervision = this.supervise(client, started);
  }

  async stop(deadlineMilliseconds: number): Promise<void> {
    await this.supervision;
    await this.recorder.stop(deadlineMilliseconds);
  }

  private get client(): Client {
    return this.descriptor.serviceAccount === '' ? this.options.client : this.options.clientFor(this.descriptor.serviceAccount);
  }

  private get log(): Logger {
    return this.options.log.child({ controller: this.descriptor.name });
  }

  private async supervise(client: Client, started: () => void): Promise<void> {
    const { clock, random } = this.options;
    const backoff = new Backoff(random, RESTART);
    while (!this.signal.aborted) {
      try {
        this.controller = await this.descriptor.start(this.context(client));
        started();
        await Promise.race([whenAborted(this.signal), ...(this.controller.failed ? [this.controller.failed] : [])]);
      } catch (error) {
        this.log.error('controller failed; starting it anew', { error: errorMessage(error), stack: error instanceof Error ? error.stack : undefined });
        started();
      }
      await this.end();
      if (!this.signal.aborted) await sleep(clock, backoff.next(), this.signal);
    }
  }

  private async end(): Promise<void> {
    const controller = this.controller;
    this.controller = undefined;
    try {
      await controller?.stop();
    } catch (error) {
      this.log.error('controller did not stop cleanly', { error: errorMessage(error) });
    }
  }

  private context(client: Client): ControllerContext {
    const { clock, random, metrics, options } = this.options;
    return { client, informers: this.informers, recorder: this.recorder, clock, random, log: this.log, ...(metrics ? { metrics } : {}), options };
  }
}
