import { setMaxListeners } from 'node:events';
import { StatusError } from '../../api/status-error.js';
import { sleep, type Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Random } from '../../base/random.js';

/** One request about an event. */
export interface EventDelivery {
  /** Makes the event anew; false: changes the one that the server has. */
  readonly create: boolean;
  send(create: boolean): Promise<unknown>;
}

export interface EventSinkOptions<E> {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** What the event is about, `namespace/name`; events of one such key stay in order. */
  readonly subject: (event: E) => string;
  /** Decides at its turn what is to be sent; undefined: nothing. */
  readonly prepare: (event: E) => EventDelivery | undefined;
}

interface Lane<E> {
  readonly waiting: E[];
  running: Promise<void> | undefined;
}

/** Requests under way at the same time. */
const LANES = 8;
/** Events that wait in one lane; more are dropped. */
const LANE_LENGTH = 1000;
const TRIES = 12;
const RETRY_MILLISECONDS = 10_000;

/** Sends events in the background: never waits, tries again while the server is away, drops what is too much. */
export class EventSink<E extends { readonly reason?: string }> {
  private readonly lanes: Lane<E>[] = Array.from({ length: LANES }, () => ({ waiting: [], running: undefined }));
  private readonly stopping = new AbortController();
  private closed = false;

  constructor(private readonly options: EventSinkOptions<E>) {
    setMaxListeners(0, this.stopping.signal);
  }

  /** Ends with the sink. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  record(event: E): void {
    if (this.closed) return;
    const subject = this.options.subject(event);
    const lane = this.lanes[laneOf(subject)]!;
    if (lane.waiting.length >= LANE_LENGTH) return this.options.log.warn('event dropped: too many wait', { reason: event.reason, object: subject });
    lane.waiting.push(event);
    lane.running ??= this.drain(lane);
  }

  /** Resolves when what was recorded is sent, or given up after `deadlineMilliseconds`. */
  async stop(deadlineMilliseconds: number): Promise<void> {
    this.closed = true;
    const pending = Promise.all(this.lanes.map((lane) => lane.running));
    const done = new AbortController();
    await Promise.race([pending, sleep(this.options.clock, deadlineMilliseconds, done.signal)]);
    done.abort();
    this.stopping.abort();
    for (const lane of this.lanes) lane.waiting.length = 0;
    await pending;
  }

  private async drain(lane: Lane<E>): Promise<void> {
    // The caller goes on first: recording never waits.
    await Promise.resolve();
    for (let event = lane.waiting.shift(); event; event = lane.waiting.shift()) await this.deliver(event);
    lane.running = undefined;
  }

  private async deliver(event: E): Promise<void> {
    const delivery = this.options.prepare(event);
    if (!delivery) return;
    const { log, clock, random } = this.options;
    let { create } = delivery;
    for (let attempt = 1; attempt <= TRIES && !this.stopping.signal.aborted; attempt++) {
      try {
        await delivery.send(create);
        return;
      } catch (error) {
        if (!create && StatusError.is(error, 'NotFound')) {
          create = true;
          continue;
        }
        if (error instanceof StatusError && error.code < 500 && error.code !== 429) {
          // Refused for good: the namespace is going away, or the event exists already.
          log.debug('event refused', { reason: event.reason, object: this.options.subject(event), error: error.message });
          return;
        }
        log.debug('event not sent; trying again', { reason: event.reason, error: errorMessage(error) });
        await sleep(clock, RETRY_MILLISECONDS * (attempt === 1 ? random.float() : 1), this.stopping.signal);
      }
    }
  }
}

function laneOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return hash % LANES;
}
