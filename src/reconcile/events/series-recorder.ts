import type { EventsV1Event, V1ObjectReference } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { EVENTS_V1_EVENTS } from '../../api/resource-refs.js';
import { sleep, type Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Random } from '../../base/random.js';
import type { Client, ResourceClient } from '../../client/index.js';
import type { EventDetails, EventRecorder } from '../reconcile.js';
import { EventNames } from './event-names.js';
import { EventSink, type EventDelivery } from './event-sink.js';
import type { StoppableEventRecorder } from './recorder.js';
import { microTimestamp } from '../../api/meta/timestamp.js';

/** What a recorder of `events.k8s.io` needs. The client must be allowed to create and patch Events in all namespaces. */
export interface SeriesEventRecorderOptions {
  readonly client: Client;
  /** `reportingController`, e.g. `default-scheduler`. */
  readonly component: string;
  /** Ends `reportingInstance`. */
  readonly hostname: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** After so long without a repetition an event is forgotten; a series gets its last count then. */
const FINISH_MILLISECONDS = 360_000;
/** How often the counts of series that go on are written. */
const REFRESH_MILLISECONDS = 1_800_000;

interface Seen {
  readonly namespace: string;
  readonly name: string;
  /** Times it happened; from 2 on it is a series. */
  count: number;
  /** Milliseconds. */
  last: number;
  refreshed: number;
}

/**
 * Records events.k8s.io/v1 Events in the background (KEP-383). The second of the same kind makes a series of the first; later ones are
 * only counted, and the count is written each half hour and at the end of the series.
 */
export function createSeriesEventRecorder(options: SeriesEventRecorderOptions): StoppableEventRecorder {
  const { clock, random, log } = options;
  const series = new EventSeries(options.client.resource(EVENTS_V1_EVENTS), clock, log);
  const names = new EventNames(random);
  const sink = new EventSink<EventsV1Event>({
    clock, random, log,
    subject: ({ regarding }) => `${regarding?.namespace ?? ''}/${regarding?.name ?? ''}`,
    prepare: (event) => series.prepare(event),
  });
  let sweeping: Promise<void> | undefined;
  const recorderFor = (component: string, host: string): EventRecorder => ({
    event: (object, type, reason, note, details = {}) => {
      sweeping ??= series.run(sink.signal);
      sink.record(makeEvent({ component, instance: `${component}-${host}`, names, now: clock.now() }, object, type, reason, note, details));
    },
    withComponent: (other, otherHost = host) => recorderFor(other, otherHost),
  });
  return {
    ...recorderFor(options.component, options.hostname),
    async stop(deadlineMilliseconds) {
      await sink.stop(deadlineMilliseconds);
      await sweeping;
    },
  };
}

function makeEvent(
  by: { readonly component: string; readonly instance: string; readonly names: EventNames; readonly now: number },
  object: KubeObject, type: string, reason: string, note: string, details: EventDetails,
): EventsV1Event {
  const { name = '', namespace } = object.metadata ?? {};
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name}.${by.names.suffix(by.now)}`, namespace: namespace || 'default', ...(details.annotations ? { annotations: details.annotations } : {}) },
    eventTime: microTimestamp(by.now),
    reportingController: by.component,
    reportingInstance: by.instance,
    ...(details.action ? { action: details.action } : {}),
    reason,
    regarding: reference(object, details.fieldPath),
    ...(details.related ? { related: reference(details.related) } : {}),
    note,
    type,
  };
}

function reference({ kind, apiVersion, metadata = {} }: KubeObject, fieldPath?: string): V1ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    ...(kind ? { kind } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    ...(apiVersion ? { apiVersion } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
    ...(fieldPath ? { fieldPath } : {}),
  };
}

/** The events of the last minutes, by all that makes them the same (not the note). */
class EventSeries {
  private readonly seen = new Map<string, Seen>();

  constructor(
    private readonly events: ResourceClient<EventsV1Event>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  prepare(event: EventsV1Event): EventDelivery | undefined {
    const { metadata = {} } = event;
    const key = keyOf(event);
    const now = this.clock.now();
    const earlier = this.seen.get(key);
    if (!earlier) {
      this.seen.set(key, { namespace: metadata.namespace ?? '', name: metadata.name ?? '', count: 1, last: now, refreshed: now });
      return { create: true, send: () => this.events.create(event) };
    }
    earlier.count++;
    earlier.last = now;
    if (earlier.count > 2) return undefined;
    return {
      create: false,
      send: (create) => (create ? this.events.create({ ...event, metadata: { ...metadata, name: earlier.name } }) : this.write(earlier)),
    };
  }

  /** Looks after the series until the signal ends. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.clock, FINISH_MILLISECONDS, signal);
      if (signal.aborted) return;
      await this.sweep();
    }
  }

  private async sweep(): Promise<void> {
    const now = this.clock.now();
    for (const [key, seen] of this.seen) {
      const finished = now - seen.last >= FINISH_MILLISECONDS;
      if (finished) this.seen.delete(key);
      if (seen.count < 2 || !(finished || now - seen.refreshed >= REFRESH_MILLISECONDS)) continue;
      seen.refreshed = now;
      await this.write(seen).catch((error: unknown) => this.log.debug('event series not written', { event: seen.name, error: errorMessage(error) }));
    }
  }

  private write({ namespace, name, count, last }: Seen): Promise<unknown> {
    return this.events.patch(namespace, name, 'strategic', { series: { count, lastObservedTime: microTimestamp(last) } });
  }
}

function keyOf({ type, action, reason, reportingController, reportingInstance, regarding, related }: EventsV1Event): string {
  return [type, action, reason, reportingController, reportingInstance, ...of(regarding), ...of(related)].join('|');
}

function of(reference: V1ObjectReference | undefined): readonly (string | undefined)[] {
  return [reference?.kind, reference?.apiVersion, reference?.namespace, reference?.name, reference?.uid, reference?.resourceVersion, reference?.fieldPath];
}
