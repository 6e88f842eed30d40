import { setMaxListeners } from 'node:events';
import type { CoreV1Event } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { EVENTS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { sleep, type Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Random } from '../../base/random.js';
import type { Client, ResourceClient } from '../../client/index.js';
import type { EventDetails, EventRecorder } from '../reconcile.js';
import { EventCorrelator } from './correlator.js';

/** What a recorder needs. The client must be allowed to create and patch Events in all namespaces. */
export interface EventRecorderOptions {
  readonly client: Client;
  /** `source.component`, e.g. `deployment-controller`. */
  readonly component: string;
  /** `source.host`, for node agents. */
  readonly host?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A recorder that can be shut. */
export interface StoppableEventRecorder extends EventRecorder {
  /** Resolves when what was recorded is sent, or given up after `deadlineMilliseconds`. */
  stop(deadlineMilliseconds: number): Promise<void>;
}

/** Requests under way at the same time; events about one object stay in order. */
const LANES = 8;
/** Events that wait in one lane; more are dropped. */
const LANE_LENGTH = 1000;
const TRIES = 12;
const RETRY_MILLISECONDS = 10_000;
/** So many multiples of 256 ns fit into a millisecond; numbers of this size are not exact to less. */
const STEPS_PER_MILLISECOND = 3906;

/** Records core/v1 Events in the background, correlated as upstream does. */
export function createEventRecorder(options: EventRecorderOptions): StoppableEventRecorder {
  const sink = new EventSink(options, new EventNames(options.random));
  return { ...recorderFor(sink, options, options.component, options.host ?? ''), stop: (deadline) => sink.stop(deadline) };
}

function recorderFor(sink: EventSink, options: EventRecorderOptions, component: string, host: string): EventRecorder {
  return {
    event: (object, type, reason, message, details) => sink.record(makeEvent(options, sink.names, component, host, object, type, reason, message, details)),
    withComponent: (other, otherHost = host) => recorderFor(sink, options, other, otherHost),
  };
}

function makeEvent(
  options: EventRecorderOptions, names: EventNames, component: string, host: string, object: KubeObject, type: string, reason: string, message: string, details: EventDetails = {},
): CoreV1Event {
  const { metadata = {} } = object;
  const now = options.clock.now();
  const timestamp = names.timestamp(now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${metadata.name ?? ''}.${names.suffix(now)}`,
      namespace: metadata.namespace || 'default',
      ...(details.annotations ? { annotations: details.annotations } : {}),
    },
    involvedObject: {
      ...(object.kind ? { kind: object.kind } : {}),
      ...(object.apiVersion ? { apiVersion: object.apiVersion } : {}),
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      ...(metadata.name ? { name: metadata.name } : {}),
      ...(metadata.uid ? { uid: metadata.uid } : {}),
      ...(metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
      ...(details.fieldPath ? { fieldPath: details.fieldPath } : {}),
    },
    reason,
    message,
    type,
    source: { component, ...(host ? { host } : {}) },
    reportingComponent: component,
    reportingInstance: host,
    count: 1,
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
  };
}

/** Suffixes and timestamps of events, of which there are many in one second. */
class EventNames {
  private counter: number;
  private second = -1;
  private text = '';

  constructor(random: Random) {
    this.counter = Math.floor(random.float() * STEPS_PER_MILLISECOND);
  }

  /** Hexadecimal nanoseconds since 1970, as upstream's names end with; steps of 256 ns keep those of one millisecond apart. */
  suffix(now: number): string {
    this.counter = (this.counter + 1) % STEPS_PER_MILLISECOND;
    return (now * 1e6 + this.counter * 256).toString(16);
  }

  timestamp(now: number): string {
    const second = Math.floor(now / 1000);
    if (second !== this.second) {
      this.second = second;
      this.text = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    }
    return this.text;
  }
}

interface Lane {
  readonly waiting: CoreV1Event[];
  running: Promise<void> | undefined;
}

class EventSink {
  private readonly lanes: Lane[] = Array.from({ length: LANES }, () => ({ waiting: [], running: undefined }));
  private readonly correlator: EventCorrelator;
  private readonly events: ResourceClient<CoreV1Event>;
  private readonly stopping = new AbortController();
  private closed = false;

  constructor(
    private readonly options: EventRecorderOptions,
    readonly names: EventNames,
  ) {
    setMaxListeners(0, this.stopping.signal);
    this.correlator = new EventCorrelator(options.clock);
    this.events = options.client.resource(EVENTS);
  }

  record(event: CoreV1Event): void {
    if (this.closed) return;
    const lane = this.lanes[laneOf(`${event.involvedObject.namespace ?? ''}/${event.involvedObject.name ?? ''}`)]!;
    if (lane.waiting.length >= LANE_LENGTH) return this.options.log.warn('event dropped: too many wait', { reason: event.reason, object: event.involvedObject.name });
    lane.waiting.push(event);
    lane.running ??= this.drain(lane);
  }

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

  private async drain(lane: Lane): Promise<void> {
    // The caller goes on first: recording never waits.
    await Promise.resolve();
    for (let event = lane.waiting.shift(); event; event = lane.waiting.shift()) await this.deliver(event);
    lane.running = undefined;
  }

  private async deliver(event: CoreV1Event): Promise<void> {
    const correlated = this.correlator.correlate(event);
    if (correlated.action === 'drop') return;
    let create = correlated.action === 'create';
    for (let attempt = 1; attempt <= TRIES && !this.stopping.signal.aborted; attempt++) {
      try {
        if (create) await this.events.create(correlated.event);
        else await this.patch(correlated.event);
        return;
      } catch (error) {
        if (!create && StatusError.is(error, 'NotFound')) {
          create = true;
          continue;
        }
        if (error instanceof StatusError && error.code < 500 && error.code !== 429) {
          // Refused for good: the namespace is going away, or the event exists already.
          this.options.log.debug('event refused', { reason: event.reason, object: event.involvedObject.name, error: error.message });
          return;
        }
        this.options.log.debug('event not sent; trying again', { reason: event.reason, error: errorMessage(error) });
        await sleep(this.options.clock, RETRY_MILLISECONDS * (attempt === 1 ? this.options.random.float() : 1), this.stopping.signal);
      }
    }
  }

  private async patch(event: CoreV1Event): Promise<void> {
    const { metadata, count, lastTimestamp, message } = event;
    await this.events.patch(metadata.namespace ?? '', metadata.name ?? '', 'strategic', { count, lastTimestamp, message });
  }
}

function laneOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return hash % LANES;
}
